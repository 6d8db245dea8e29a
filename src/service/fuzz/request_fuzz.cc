// A request as a stranger may send it, to a server that asks for no token.
//
// The input is what comes out of the socket, all at once. Beast reads it within the server's own limits, and the site
// admits or refuses it: target, query, headers, content coding, JSON and schema. Whatever it is, the answer is one that
// HTTP knows, is no fault of the server, and where it is an error it is a problem document.
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>

#include "base/check.h"
#include "judge/fuzz/target.h"
#include "service/http/server.h"
#include "service/http/site.h"

namespace kgym::http {
namespace {

Awaitable<Response> Echo(Request& request) {
  const Json echo = {
      {"path", request.path}, {"in_path", request.in_path}, {"query", request.query}, {"json", request.json}};
  co_return JsonResponse(echo);
}

/// A table of every kind of route: a body with a schema, parameters in the path and in the query.
class World {
 public:
  World() {
    access_.Open();
    const Json text = {{"type", "string"}, {"minLength", 1}, {"maxLength", 40}};
    const Json schema = {
        {"type", "object"},
        {"required", {"problem"}},
        {"additionalProperties", false},
        {"properties",
         {{"problem", {{"anyOf", {text, {{"type", "object"}}}}}},
          {"priority", {{"enum", {"low", "normal", "high"}}}},
          {"sizes", {{"type", "object"}, {"additionalProperties", {{"type", "integer"}, {"minimum", 1}}}}},
          {"rows", {{"type", "array"}, {"items", text}, {"maxItems", 3}}},
          {"share", {{"type", "number"}, {"minimum", 0}, {"maximum", 1}}}}}};
    routes_.Add(
        {.method = "POST", .path = "/things", .id = "make", .body = schema, .body_limit = 64 << 10, .handler = Echo});
    routes_.Add({.method = "GET",
                 .path = "/things/{id}",
                 .id = "get",
                 .in_path = {{"id", "", text}},
                 .query = {{"limit", "", {{"type", "integer"}, {"minimum", 1}}}, {"full", "", {{"type", "boolean"}}}},
                 .handler = Echo});
  }

  Response Answer(Request request) {
    if (std::optional<Response> refused = site_.Admit(request)) return *std::move(refused);
    boost::asio::io_context io{1};
    std::optional<Response> response;
    Spawn(io.get_executor(), Respond(request, response));
    io.run();
    return response.value();
  }

 private:
  Awaitable<void> Respond(Request& request, std::optional<Response>& response) {
    response = co_await site_.Respond(request);
  }

  FakeClock clock_;
  Access access_{clock_};
  Routes routes_;
  Site site_{routes_, access_, clock_};
};

std::optional<Request> Read(std::string_view bytes) {
  boost::beast::http::request_parser<boost::beast::http::string_body> parser;
  parser.header_limit(static_cast<std::uint32_t>(Limits().head_bytes));
  parser.body_limit(256 << 10);
  parser.eager(true);
  while (!bytes.empty() && !parser.is_done()) {
    boost::system::error_code code;
    const std::size_t taken = parser.put(boost::asio::buffer(bytes), code);
    if (code || taken == 0) return std::nullopt;  // Or cut off.
    bytes.remove_prefix(taken);
  }
  if (!parser.is_done()) return std::nullopt;
  Request request;
  request.method = std::string(parser.get().method_string());
  request.target = std::string(parser.get().target());
  for (const auto& field : parser.get())
    request.headers.Add(std::string(field.name_string()), std::string(field.value()));
  request.has_body = parser.chunked() || parser.content_length().value_or(0) > 0;
  request.body = std::move(parser.get().body());
  return request;
}

}  // namespace
}  // namespace kgym::http

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static kgym::http::World world;
  std::optional<kgym::http::Request> request = kgym::http::Read(kgym::judge::fuzz::Bytes(data, size));
  if (!request) return 0;
  const kgym::http::Response response = world.Answer(*std::move(request));
  KGYM_CHECK(response.status >= 200 && response.status < 500);
  if (response.status >= 400) KGYM_CHECK(response.content_type == "application/problem+json");
  return 0;
}
