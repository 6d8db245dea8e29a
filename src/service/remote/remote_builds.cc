#include "service/remote/remote_builds.h"

#include "base/text.h"

namespace kgym::service {
namespace {

constexpr Duration kAnswer = 60s;
constexpr Duration kSilence = 30s;
constexpr const char* kBytes = "application/octet-stream";

}  // namespace

Awaitable<Result<std::optional<std::string>>> RemoteBuilds::Fetch(std::string key) {
  if (std::chrono::steady_clock::now() < not_before_) co_return std::nullopt;
  Result<http::ClientReply> reply = co_await client_.Send(http::Client::Method::get, "/v1/builds/" + key, "", kAnswer);
  if (reply.ok() && reply->ok()) co_return std::optional<std::string>(std::move(reply->bytes));
  if (reply.ok() && reply->status == 404) co_return std::nullopt;
  not_before_ = std::chrono::steady_clock::now() + kSilence;
  if (!reply.ok()) co_return reply.error();
  co_return Error{Concat(client_.url().Text(), "/v1/builds: ", reply->status, ": ", reply->Detail())};
}

Awaitable<Status> RemoteBuilds::Keep(std::string key, std::string bundle) {
  KGYM_CO_TRY(const http::ClientReply reply, co_await client_.Send(http::Client::Method::put, "/v1/builds/" + key,
                                                                   std::move(bundle), kAnswer, kBytes));
  if (!reply.ok()) co_return Error{Concat(client_.url().Text(), "/v1/builds: ", reply.status, ": ", reply.Detail())};
  co_return Ok();
}

}  // namespace kgym::service
