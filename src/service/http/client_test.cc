// The client against our own server, over real sockets on loopback.
#include "service/http/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "base/text.h"
#include "service/http/server.h"
#include "service/http/signal.h"

namespace kgym::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ServerUrlTest, ReadsHostAndPort) {
  EXPECT_EQ(ParseServerUrl("http://gpu-7:9000/")->Authority(), "gpu-7:9000");
  EXPECT_EQ(ParseServerUrl("http://10.0.0.1")->port, 8700);
  EXPECT_EQ(ParseServerUrl("http://[::1]:80")->host, "::1");
  EXPECT_EQ(ParseServerUrl("http://[::1]:80")->Authority(), "[::1]:80");
}

TEST(ServerUrlTest, SaysWhatIsWrong) {
  EXPECT_THAT(ParseServerUrl("https://a").error().message, HasSubstr("TLS"));
  EXPECT_THAT(ParseServerUrl("a:1").error().message, HasSubstr("http://HOST[:PORT]"));
  for (const char* port : {"http://a:0", "http://a:x", "http://a:70000", "http://a:"})
    EXPECT_THAT(ParseServerUrl(port).error().message, HasSubstr("1 to 65535")) << port;
  for (const char* bad : {"http://", "http://a/b", "http://u@h", "http://[::1"})
    EXPECT_FALSE(ParseServerUrl(bad)) << bad;
}

/// Answers with what it was asked; "/lines" line by line, "/no" with a problem document.
class Answers final : public Application {
 public:
  std::optional<Response> Admit(Request& request) override {
    request.body_limit = 1000;
    return std::nullopt;
  }
  Awaitable<Response> Respond(Request& request) override {
    ++requests;
    if (request.target == "/no") co_return ToResponse({409, "taken", "it is taken"}, request.target);
    Response response;
    response.body = DumpJson({{"target", request.target},
                              {"body", request.body},
                              {"token", std::string(request.headers.Get("Authorization"))}});
    if (request.target == "/lines") response.stream = [](Stream& stream) { return Lines(stream); };
    co_return response;
  }
  static Awaitable<void> Lines(Stream& stream) {
    for (const char* piece : {"one\n\ntw", "o\n", "three\nrest"}) {
      std::string text = piece;
      co_await stream.Send(std::move(text));
    }
  }
  int requests = 0;
};

class ClientTest : public testing::Test {
 protected:
  void Listen(std::uint16_t port = 0) {
    server_ = Server::Listen(io_.get_executor(), "127.0.0.1", port, {}, answers_).value();
    client_ = std::make_unique<Client>(io_.get_executor(), ServerUrl{"127.0.0.1", server_->port()}, "secret");
  }
  void TearDown() override {
    if (server_) Await(StopServer());
  }
  template <class T>
  T Await(Awaitable<T> work) {
    std::optional<T> answer;
    Spawn(io_.get_executor(), Store(std::move(work), answer));
    while (!answer) io_.run_one();
    return std::move(*answer);
  }
  template <class T>
  static Awaitable<void> Store(Awaitable<T> work, std::optional<T>& answer) {
    answer = co_await std::move(work);
  }
  Awaitable<bool> StopServer() {
    co_await server_->Stop(0s);
    co_return true;
  }

  boost::asio::io_context io_{1};
  Answers answers_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<Client> client_;
};

TEST_F(ClientTest, AsksOnOneConnection) {
  Listen();
  for (int i = 0; i < 3; ++i) {
    const ClientReply reply = Await(client_->Post("/a", {{"x", i}}, 10s)).value();
    EXPECT_TRUE(reply.ok());
    EXPECT_EQ(reply.json["body"], DumpJson({{"x", i}}));
    EXPECT_EQ(reply.json["token"], "Bearer secret");
  }
  EXPECT_EQ(server_->stats().accepted, 1);
}

TEST_F(ClientTest, ARefusalIsAnAnswer) {
  Listen();
  const ClientReply reply = Await(client_->Post("/no", Json::object(), 10s)).value();
  EXPECT_EQ(reply.status, 409);
  EXPECT_EQ(reply.Type(), "taken");
  EXPECT_THAT(reply.Detail(), HasSubstr("it is taken"));
}

TEST_F(ClientTest, AKeptConnectionThatDiedIsReplaced) {
  Listen();
  ASSERT_TRUE(Await(client_->Post("/a", Json::object(), 10s)).ok());
  const std::uint16_t port = server_->port();
  Await(StopServer());
  EXPECT_THAT(Await(client_->Post("/a", Json::object(), 10s)).error().message, HasSubstr("http://127.0.0.1:"));
  server_ = Server::Listen(io_.get_executor(), "127.0.0.1", port, {}, answers_).value();
  EXPECT_TRUE(Await(client_->Post("/a", Json::object(), 10s)).ok());
}

TEST_F(ClientTest, FollowsLines) {
  Listen();
  std::vector<std::string> lines;
  std::function<bool(std::string_view)> add = [&](std::string_view line) { return lines.emplace_back(line), true; };
  const Status ended = Await(client_->Follow("/lines", 10s, std::make_shared<Client::Reading>(), add));
  EXPECT_FALSE(ended.ok());
  EXPECT_THAT(lines, ElementsAre("one", "two", "three"));
  lines.clear();
  std::function<bool(std::string_view)> one = [&](std::string_view line) { return lines.emplace_back(line), false; };
  EXPECT_TRUE(Await(client_->Follow("/lines", 10s, std::make_shared<Client::Reading>(), one)).ok());
  EXPECT_THAT(lines, ElementsAre("one"));
}

TEST_F(ClientTest, AFollowedAnswerMayBeRefused) {
  Listen();
  std::function<bool(std::string_view)> none = [](std::string_view) { return true; };
  const Status ended = Await(client_->Follow("/no", 10s, std::make_shared<Client::Reading>(), none));
  EXPECT_THAT(ended.error().message, HasSubstr("it is taken"));
}

}  // namespace
}  // namespace kgym::http
