// The builds that a server keeps for its workers, as one of them sees them.
//
// A server that cannot be reached is not asked again for a while: a build must not wait for it.
//
// Threads: the client's executor.
#pragma once

#include "base/clock.h"
#include "judge/build.h"
#include "service/http/client.h"

namespace kgym::service {

class RemoteBuilds final : public judge::BuildDepot {
 public:
  /// `client` must outlive it and its calls.
  explicit RemoteBuilds(http::Client& client) : client_(client) {}

  Awaitable<Result<std::optional<std::string>>> Fetch(std::string key) override;
  Awaitable<Status> Keep(std::string key, std::string bundle) override;

 private:
  http::Client& client_;
  Instant not_before_{};
};

}  // namespace kgym::service
