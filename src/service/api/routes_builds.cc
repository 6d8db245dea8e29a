// GET and PUT /v1/builds/{key}: builds that workers share.
#include "judge/build_bundle.h"
#include "service/api/api.h"
#include "service/api/build_store.h"

namespace kgym::service {
namespace {

using http::Request;
using http::Response;
using http::ToResponse;

constexpr const char* kBytes = "application/octet-stream";

Response StoreFault(const Request& request, const Error& error) {
  if (error.message.starts_with("build bundle")) return ToResponse({422, "invalid", error.message}, request.target);
  return ToResponse(http::RetryLater(503, "builds", "the store of builds cannot be used: " + error.message, 10s),
                    request.target);
}

Awaitable<Response> GetBuild(Api& api, Request& request) {
  const std::string key = request.in_path.at("key");
  Result<std::optional<std::string>> bundle = co_await api.builds.Fetch(key);
  if (!bundle.ok()) co_return StoreFault(request, bundle.error());
  if (!*bundle)
    co_return ToResponse({404, "not-found", "no worker has offered build '" + key + "'", "build it"}, request.target);
  Response response;
  response.content_type = kBytes;
  response.body = **std::move(bundle);
  co_return response;
}

Awaitable<Response> PutBuild(Api& api, Request& request) {
  const std::string key = request.in_path.at("key");
  const Status kept = co_await api.builds.Keep(key, std::move(request.body));
  if (!kept.ok()) co_return StoreFault(request, kept.error());
  Response response;
  response.status = 204;
  co_return response;
}

}  // namespace

void AddBuildRoutes(http::Routes& routes, Api& api) {
  const http::Parameter key = {
      "key", "Of the build: 64 hex digits.", {{"type", "string"}, {"pattern", "^[0-9a-f]{64}$"}}};
  const Json bytes = {{"type", "string"}, {"contentMediaType", kBytes}};
  routes.Add({.method = "GET",
              .path = "/v1/builds/{key}",
              .id = "getBuild",
              .summary = "What a worker built, as src/judge/build_bundle.h has it.",
              .tag = "workers",
              .scope = http::Scope::kWork,
              .in_path = {key},
              .answers = {{200, "The bundle.", bytes, kBytes}, {404, "Nobody has built it yet, or it made room."}},
              .handler = [&api](Request& request) { return GetBuild(api, request); }});
  routes.Add({.method = "PUT",
              .path = "/v1/builds/{key}",
              .id = "putBuild",
              .summary = "Offer a build to the other workers. What is there already stays.",
              .tag = "workers",
              .scope = http::Scope::kWork,
              .in_path = {key},
              .body_type = kBytes,
              .body_limit = judge::kMostBundleBytes,
              .answers = {{204, "It is there."}},
              .handler = [&api](Request& request) { return PutBuild(api, request); }});
}

}  // namespace kgym::service
