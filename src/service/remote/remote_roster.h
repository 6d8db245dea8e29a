// The roster of a server far away, as one who enters it sees it.
//
// Threads: the client's executor.
#pragma once

#include "service/http/client.h"
#include "service/queue/roster.h"

namespace kgym::service {

class RemoteRoster final : public RosterEntry {
 public:
  /// `client` must outlive it and its calls.
  explicit RemoteRoster(http::Client& client) : client_(client) {}

  /// Its text is JSON. Refused where the token, the protocol or what it says of itself is.
  Awaitable<Result<Reply>> Tell(Member member) override;
  Awaitable<Status> Leave(Member member) override;

 private:
  http::Client& client_;
};

}  // namespace kgym::service
