// Times of references kept between evaluations: torch.compile's, which costs many seconds to get.
//
// Kept per problem, workload, cores and versions, with the eager time that was measured beside it. An entry is valid
// while the eager time that an evaluation measures for itself stays within a quarter of that; else the machine is not
// what it was, and the entry is made again.
//
// Threads: the executor; small files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"

namespace kgym::judge {

struct Baseline {
  double compiled_ms = 0;
  double eager_ms = 0;
};

class Baselines {
 public:
  Baselines(std::filesystem::path folder, std::string salt) : folder_(std::move(folder)), salt_(std::move(salt)) {}

  /// The entry, if there is one that `eager_ms`, measured now, does not contradict.
  std::optional<Baseline> Find(const std::string& problem_hash, double eager_ms) const;
  Status Keep(const std::string& problem_hash, const Baseline& baseline) const;

 private:
  std::filesystem::path PathOf(const std::string& problem_hash) const;

  std::filesystem::path folder_;
  std::string salt_;
};

}  // namespace kgym::judge
