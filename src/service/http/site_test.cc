#include "service/http/site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "service/http/coding.h"

namespace kgym::http {
namespace {

using ::testing::HasSubstr;

constexpr const char* kToken = "0123456789abcdef";

class SiteTest : public testing::Test {
 protected:
  SiteTest() {
    access_.Add({.token = kToken, .principal = {"alice", true, true, false}});
    const Json schema = {{"type", "object"},
                         {"required", {"size"}},
                         {"additionalProperties", false},
                         {"properties", {{"size", {{"type", "integer"}, {"minimum", 1}}}}}};
    routes_.Add({.method = "POST",
                 .path = "/things",
                 .id = "make",
                 .scope = Scope::kSubmit,
                 .body = schema,
                 .body_limit = 2000,
                 .handler = [](Request& request) { return Echo(request); }});
    routes_.Add({.method = "GET",
                 .path = "/things/{id}",
                 .id = "get",
                 .in_path = {{"id", "", {{"type", "string"}, {"maxLength", 5}}}},
                 .query = {{"limit", "", {{"type", "integer"}}}},
                 .handler = [](Request& request) { return Echo(request); }});
    routes_.Add(
        {.method = "GET", .path = "/things/all", .id = "all", .scope = Scope::kAdmin, .handler = [](Request& request) {
           return Echo(request);
         }});
    routes_.Add({.method = "PUT",
                 .path = "/raw",
                 .id = "put",
                 .scope = Scope::kSubmit,
                 .body_type = "application/octet-stream",
                 .handler = [](Request& request) { return Size(request); }});
    routes_.Add({.method = "GET", .path = "/open", .id = "open", .scope = Scope::kNone, .handler = [](Request&) {
                   return Long();
                 }});
  }

  static Awaitable<Response> Echo(Request& request) {
    const Json echo = {{"path", request.path}, {"params", request.in_path}, {"json", request.json}};
    co_return JsonResponse(echo);
  }
  static Awaitable<Response> Size(Request& request) {
    const Json size = request.body.size();
    co_return JsonResponse(size);
  }
  static Awaitable<Response> Long() {
    Response response;
    response.body = std::string(10'000, 'x');
    co_return response;
  }

  Request Ask(std::string method, std::string target, std::string body = "") {
    Request request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.body = std::move(body);
    request.has_body = !request.body.empty();
    request.headers.Add("Authorization", std::string("Bearer ") + kToken);
    if (request.has_body) request.headers.Add("Content-Type", "application/json; charset=utf-8");
    return request;
  }

  Response Answer(Request request) {
    if (std::optional<Response> refused = site_.Admit(request)) return *refused;
    boost::asio::io_context io;
    std::optional<Response> response;
    const auto run = [&]() -> Awaitable<void> { response = co_await site_.Respond(request); };
    Spawn(io.get_executor(), run());
    io.run();
    return *response;
  }

  Json Document(const Response& response) { return ParseJson(response.body).value(); }

  FakeClock clock_;
  Access access_{clock_};
  Routes routes_;
  Site site_{routes_, access_, clock_};
};

TEST_F(SiteTest, ABodyThatIsNotJsonIsHandedOnAsItIs) {
  const auto put = [&](const char* type, const char* coding) {
    Request request = Ask("PUT", "/raw");
    request.body = std::string("\0{", 2);
    request.has_body = true;
    request.headers.Add("Content-Type", type);
    if (coding != nullptr) request.headers.Add("Content-Encoding", coding);
    return Answer(std::move(request));
  };
  EXPECT_EQ(put("application/octet-stream", nullptr).body, "2");
  EXPECT_THAT(put("application/json", nullptr).body, HasSubstr("application/octet-stream is expected"));
  EXPECT_EQ(put("application/json", nullptr).status, 415);
  EXPECT_EQ(put("application/octet-stream", "gzip").status, 415);
  const Json body = OpenApi(routes_, "t", "1", false)["paths"]["/raw"]["put"]["requestBody"]["content"];
  EXPECT_EQ(body["application/octet-stream"]["schema"]["contentMediaType"], "application/octet-stream");
}

TEST_F(SiteTest, FindsTheHandler) {
  const Response response = Answer(Ask("GET", "/things/a%20b?limit=3"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(Document(response)["params"]["id"], "a b");
}

TEST_F(SiteTest, AWordGoesBeforeAParameter) { EXPECT_EQ(Answer(Ask("GET", "/things/all")).status, 403); }

TEST_F(SiteTest, NothingThere) {
  const Response response = Answer(Ask("GET", "/thing"));
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.content_type, "application/problem+json");
  EXPECT_EQ(Document(response)["type"], "urn:kgym:error:not-found");
  EXPECT_THAT(Document(response)["detail"].get<std::string>(), HasSubstr("did you mean '/things'?"));
  for (const char* target : {"/things/", "/things/a/b", "//", "/things//"}) {
    EXPECT_EQ(Answer(Ask("GET", target)).status, 404) << target;
  }
}

TEST_F(SiteTest, AnotherMethodIsToldWhichThereAre) {
  const Response response = Answer(Ask("PUT", "/things/a"));
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(response.headers.front().name, "Allow");
  EXPECT_EQ(response.headers.front().value, "GET, HEAD, OPTIONS");
  EXPECT_EQ(Answer(Ask("OPTIONS", "/things/a")).status, 204);
  EXPECT_EQ(Answer(Ask("HEAD", "/things/a")).status, 200);
}

TEST_F(SiteTest, TokensComeBeforeBodies) {
  Request request = Ask("POST", "/things", "{}");
  request.headers = {};
  EXPECT_EQ(site_.Admit(request).value().status, 401);
}

TEST_F(SiteTest, ParametersAreChecked) {
  EXPECT_EQ(Answer(Ask("GET", "/things/toolong")).status, 422);
  EXPECT_EQ(Answer(Ask("GET", "/things/a?limit=x")).status, 422);
  const Response unknown = Answer(Ask("GET", "/things/a?limt=3"));
  EXPECT_THAT(Document(unknown)["detail"].get<std::string>(), HasSubstr("(did you mean 'limit'?)"));
}

TEST_F(SiteTest, BodiesAreChecked) {
  EXPECT_EQ(Answer(Ask("POST", "/things", R"({"size": 3})")).status, 200);
  const Response malformed = Answer(Ask("POST", "/things", "{\"size\":\n 3,}"));
  EXPECT_EQ(malformed.status, 400);
  EXPECT_THAT(Document(malformed)["detail"].get<std::string>(), HasSubstr("body:2:4:"));
  const Response unfit = Answer(Ask("POST", "/things", R"({"size": 0, "colour": 1})"));
  EXPECT_EQ(unfit.status, 422);
  EXPECT_EQ(Document(unfit)["errors"].size(), 2);
  EXPECT_EQ(Document(unfit)["errors"][0]["pointer"], "/size");
  EXPECT_EQ(Answer(Ask("POST", "/things")).status, 400);
}

TEST_F(SiteTest, TypesAndCodingsAreChecked) {
  Request text = Ask("POST", "/things", "size=3");
  text.headers = {};
  text.headers.Add("Authorization", std::string("Bearer ") + kToken);
  text.headers.Add("Content-Type", "text/plain");
  EXPECT_EQ(Answer(text).status, 415);
  Request brotli = Ask("POST", "/things", "x");
  brotli.headers.Add("Content-Encoding", "br");
  EXPECT_EQ(Answer(brotli).status, 415);
}

TEST_F(SiteTest, BodiesMayBeCompressed) {
  Request request = Ask("POST", "/things", Encode(Coding::kZstd, R"({"size": 7})"));
  request.headers.Add("Content-Encoding", "zstd");
  EXPECT_EQ(Document(Answer(request))["json"]["size"], 7);
  Request bomb = Ask("POST", "/things", Encode(Coding::kGzip, std::string(1 << 20, ' ')));
  bomb.headers.Add("Content-Encoding", "gzip");
  EXPECT_EQ(Answer(bomb).status, 413);
}

TEST_F(SiteTest, LongAnswersAreCompressed) {
  Request request = Ask("GET", "/open");
  request.headers.Add("Accept-Encoding", "gzip, zstd;q=0.1");
  const Response response = Answer(request);
  EXPECT_LT(response.body.size(), 1000);
  EXPECT_EQ(std::get<std::string>(Decode(Coding::kGzip, response.body, 1 << 20).value()).size(), 10'000);
  EXPECT_EQ(Answer(Ask("GET", "/open")).body.size(), 10'000);
}

TEST_F(SiteTest, CountsWhatItAnswers) {
  Answer(Ask("GET", "/things/a"));
  Answer(Ask("GET", "/things/b"));
  Answer(Ask("GET", "/nowhere"));
  EXPECT_EQ(site_.meters().at({"/things/{id}", "GET", 200}).count, 2);
  EXPECT_EQ(site_.meters().at({"", "", 404}).count, 1);
}

TEST_F(SiteTest, ARoutesOwnFormOfAnErrorIsInTheDocument) {
  Routes routes;
  routes.Add({.method = "GET",
              .path = "/theirs",
              .id = "theirs",
              .answers = {{404, "Not there."}},
              .handler = [](Request& request) { return Echo(request); },
              .refuse = [](const Refusal& refusal) { return Response{.status = refusal.status}; }});
  const Json responses = OpenApi(routes, "t", "1", false)["paths"]["/theirs"]["get"]["responses"];
  for (const char* status : {"401", "404"}) {
    EXPECT_TRUE(responses[status]["content"].contains("application/json")) << status;
    EXPECT_TRUE(responses[status]["content"].contains(kProblemType)) << status;
  }
}

TEST_F(SiteTest, DescribesItself) {
  const Json document = OpenApi(routes_, "things", "1", false);
  EXPECT_EQ(document["openapi"], "3.1.0");
  const Json& make = document["paths"]["/things"]["post"];
  EXPECT_EQ(make["operationId"], "make");
  EXPECT_TRUE(make["requestBody"]["required"].get<bool>());
  for (const char* status : {"400", "401", "403", "413", "415", "422", "429", "503"})
    EXPECT_TRUE(make["responses"].contains(status)) << status;
  EXPECT_TRUE(document["paths"]["/open"]["get"]["security"].empty());
  EXPECT_TRUE(OpenApi(routes_, "things", "1", true)["paths"]["/things"]["post"]["security"].empty());
  EXPECT_EQ(document["paths"]["/things/{id}"]["get"]["parameters"].size(), 2);
}

}  // namespace
}  // namespace kgym::http
