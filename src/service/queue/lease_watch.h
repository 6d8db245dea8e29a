// Which leases are lost: those that nothing was heard of for as long as they last.
//
// Time is this process's monotonic clock, and counts from when this process last heard of the lease. No date is
// compared, and no two machines' clocks are: a step of the date loses no lease, and after a restart every lease starts
// anew.
//
// Threads: one at a time.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace kgym::service {

class LeaseWatch {
 public:
  /// Its holder was heard of now.
  void Renew(const std::string& id, int attempt, Duration lease, Instant now);

  /// `beat` is how often its holder was heard of by anybody: renewed only where it moved since the last look.
  void Observe(const std::string& id, int attempt, std::int64_t beat, Duration lease, Instant now);

  void Drop(const std::string& id);

  /// Drops all but these.
  void KeepOnly(const std::vector<std::string>& ids);

  struct Lost {
    std::string id;
    int attempt;
    std::int64_t beat;
  };
  std::vector<Lost> LostAt(Instant now) const;  // Sorted by id.

 private:
  struct Heard {
    int attempt;
    std::int64_t beat;
    Duration lease;
    Instant last;
  };
  std::unordered_map<std::string, Heard> leases_;
};

}  // namespace kgym::service
