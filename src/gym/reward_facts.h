// What a reward may know of a turn: facts of its verdict and of the reply's text. Nothing else of either.
//
// Threads: any; plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kgym::gym {

enum class OutcomeKind {
  kOk,
  kFail,
  kRejected,  // Not what it seems: a cheat, knowingly or not.
  kInfra,     // Our fault. Never gives a reward: a policy must not learn from a broken machine.
};

struct RewardFacts {
  OutcomeKind outcome = OutcomeKind::kInfra;
  bool format_ok = false;
  bool compiled = false;
  bool correct = false;  // Only ever where outcome is kOk.
  std::int64_t tests_passed = 0;
  std::int64_t tests_total = 0;

  // Absent: not measured. Reference time over candidate time.
  std::optional<double> speedup = {};
  std::optional<double> speedup_low = {};  // The ends of its interval.
  std::optional<double> speedup_high = {};
  std::optional<double> coverage = {};  // Share of the work that the submission's own kernels did, in [0, 1].

  std::int64_t code_length = 0;      // Characters.
  std::int64_t thinking_length = 0;  // Characters; 0 for none.
  bool has_thinking = false;
  std::int64_t turn = 1;
};

/// "ok", "fail", "rejected", "infra".
std::string_view ToString(OutcomeKind kind);

}  // namespace kgym::gym
