// Where hosts come from: a zygote, or in tests something that fails, hangs and recovers on demand.
//
// Threads: the executor that it was made on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/async.h"
#include "judge/host.h"

namespace kgym::judge {

struct HostSpec {
  HostKind kind = HostKind::kCandidate;
  std::vector<int> cpus;  // Cores it may run on; empty for all.
  int threads = 1;
  std::int64_t memory_bytes = std::int64_t{4} << 30;
  std::int64_t processes = 128;  // Processes and threads together.
  std::int64_t tmp_bytes = std::int64_t{512} << 20;
  bool strict = false;
  std::string card;      // Of a host for a GPU: the card's UUID.
  Gate* gate = nullptr;  // Of the lane; outlives the host.
};

class HostMaker {
 public:
  virtual ~HostMaker() = default;

  /// A new host, confined and ready to be asked.
  virtual Awaitable<Result<std::unique_ptr<Host>>> Fork(HostSpec spec) = 0;
};

}  // namespace kgym::judge
