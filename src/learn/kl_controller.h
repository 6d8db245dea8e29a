// The coefficient of a KL penalty: fixed, or steered towards a target divergence (Ziegler et al., 2019).
//
//   coefficient *= 1 + clip(kl / target - 1, -0.2, 0.2) * steps / horizon
//
// Threads: one at a time.
#pragma once

#include <cstdint>

#include "base/json.h"
#include "base/result.h"

namespace kgym::learn {

class KlController {
 public:
  /// Always `coefficient`.
  static KlController Fixed(double coefficient);
  /// `target` and `horizon` (in the unit of `steps`) are above 0.
  static Result<KlController> Adaptive(double coefficient, double target, double horizon);

  double coefficient() const { return coefficient_; }

  /// `kl`: the divergence seen over the last `steps`. One that is not finite is an error and changes nothing.
  Status Update(double kl, std::int64_t steps);

  Json State() const;
  static Result<KlController> FromState(const Json& state);

 private:
  KlController(double coefficient, double target, double horizon)
      : coefficient_(coefficient), target_(target), horizon_(horizon) {}

  double coefficient_;
  double target_;  // 0: fixed.
  double horizon_;
};

}  // namespace kgym::learn
