#include "service/page/page.h"

#include "base/hash.h"
#include "base/text.h"

namespace kgym::service {
namespace {

using http::Request;
using http::Response;

// The page's own script and style are in it; nothing else may run, load, frame it or be asked.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

Awaitable<Response> Page(Request& request) {
  static const std::string kTag = Concat("\"", Sha256Hex(PageHtml()).substr(0, 16), "\"");
  Response response;
  response.content_type = "text/html; charset=utf-8";
  response.headers = {{"Content-Security-Policy", kPolicy},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cache-Control", "no-cache"},
                      {"ETag", kTag}};
  if (request.headers.Get("If-None-Match") == kTag) {
    response.status = 304;
  } else {
    response.body = std::string(PageHtml());
  }
  co_return response;
}

}  // namespace

void AddPage(http::Routes& routes) {
  routes.Add({.method = "GET",
              .path = "/",
              .id = "getPage",
              .summary = "A page for people.",
              .tag = "health",
              .scope = http::Scope::kNone,
              .answers = {{200, "HTML.", Json{{"type", "string"}}, "text/html"}, {304, "It has not changed."}},
              .handler = [](Request& request) { return Page(request); }});
}

}  // namespace kgym::service
