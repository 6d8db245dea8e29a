#include "learn/kl_controller.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace kgym::learn {

KlController KlController::Fixed(double coefficient) { return {coefficient, 0, 1}; }

Result<KlController> KlController::Adaptive(double coefficient, double target, double horizon) {
  if (!(target > 0)) return Error{Concat("target is ", target, "; a divergence above 0 is expected")};
  if (!(horizon > 0)) return Error{Concat("horizon is ", horizon, "; steps above 0 are expected")};
  if (!std::isfinite(coefficient))
    return Error{Concat("coefficient is ", coefficient, "; a finite number is expected")};
  return KlController(coefficient, target, horizon);
}

Status KlController::Update(double kl, std::int64_t steps) {
  if (!std::isfinite(kl)) return Error{Concat("kl is ", kl, "; a finite number is expected")};
  if (steps < 0) return Error{Concat("steps is ", steps, "; 0 or more is expected")};
  if (target_ == 0) return Ok();
  const double error = std::clamp(kl / target_ - 1, -0.2, 0.2);
  // Many steps of a large error at once may not turn the penalty into a reward.
  coefficient_ *= std::max(0.0, 1 + error * static_cast<double>(steps) / horizon_);
  return Ok();
}

Json KlController::State() const { return {{"coefficient", coefficient_}, {"target", target_}, {"horizon", horizon_}}; }

Result<KlController> KlController::FromState(const Json& state) {
  KGYM_TRY(const double coefficient, GetDouble(state, "coefficient"));
  KGYM_TRY(const double target, GetDouble(state, "target"));
  KGYM_TRY(const double horizon, GetDouble(state, "horizon"));
  return target == 0 ? Result<KlController>(Fixed(coefficient)) : Adaptive(coefficient, target, horizon);
}

}  // namespace kgym::learn
