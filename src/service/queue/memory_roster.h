// The roster of an embedded queue: kept by the one process that has it.
//
// Threads: one at a time.
#pragma once

#include <map>

#include "base/clock.h"
#include "service/queue/roster.h"

namespace kgym::service {

class MemoryRoster final : public Roster {
 public:
  /// `clock` must outlive it.
  explicit MemoryRoster(const Clock& clock) : clock_(clock) {}

  Awaitable<Result<Reply>> Tell(Member member) override;
  Awaitable<Status> Leave(Member member) override;
  Awaitable<Result<std::vector<Member>>> Members() override;

 private:
  struct Heard {
    Member member;
    Instant last;
  };
  void DropSilent();

  const Clock& clock_;
  std::map<std::string, Heard> heard_;
};

}  // namespace kgym::service
