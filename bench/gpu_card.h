// What the card and the hosts take while a bench runs: utilisation by NVML, memory by NVML and /proc.
//
// Threads: one.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/async.h"
#include "base/json.h"
#include "judge/nvml.h"

namespace kgym::bench {

/// Samples how busy a card is, as NVML sees it: share of the time in which any kernel ran.
class BusyMeter {
 public:
  /// Samples from now on, on `executor`, until Stop; `card` may be missing, then there are no samples.
  BusyMeter(Executor executor, const std::optional<judge::Card>& card);
  ~BusyMeter();
  BusyMeter(const BusyMeter&) = delete;
  BusyMeter& operator=(const BusyMeter&) = delete;

  /// The mean share, 0 to 1; nothing where NVML does not tell.
  std::optional<double> Stop();

 private:
  struct Samples;
  std::shared_ptr<Samples> samples_;
};

/// What is taken at one moment.
struct Taken {
  std::optional<double> card_mb;          // Used of the whole card, whoever uses it.
  std::size_t hosts = 0;                  // Processes that hold a host's code: children of supervisors.
  std::optional<double> host_private_mb;  // Median of the hosts' private memory.
  std::string private_by;                 // "smaps_rollup", or "status" where only an upper bound can be read.
  double judge_mb = 0;                    // Resident memory of this process.
  double descriptors = 0;                 // Of this process.

  Json ToJson() const;
};

Taken Look(const std::optional<judge::Card>& card);

/// Waits until the number of hosts has stood still for two seconds (the judge fills its pool in the background, and
/// does not tell when it is full), twenty at most; then looks.
Awaitable<Taken> LookWhenSettled(const std::optional<judge::Card>& card);

}  // namespace kgym::bench
