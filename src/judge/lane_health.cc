#include "judge/lane_health.h"

#include <algorithm>
#include <utility>

namespace kgym::judge {
namespace {

// One host may fail for reasons of its own; several in a row do not.
constexpr int kFailuresInARow = 3;
constexpr Duration kFirstTry = 1s, kLastTry = 60s;

}  // namespace

bool LaneHealth::Failed(std::string reason) {
  reason_ = std::move(reason);
  if (++failures_ < kFailuresInARow || ill_) return false;
  ill_ = true;
  tries_ = 0;
  return true;
}

bool LaneHealth::Broke(std::string reason) {
  reason_ = std::move(reason);
  failures_ = kFailuresInARow;
  tries_ = 0;
  return !std::exchange(ill_, true);
}

bool LaneHealth::Worked() {
  failures_ = 0;
  return std::exchange(ill_, false);
}

Duration LaneHealth::NextTry() {
  const Duration wait = kFirstTry * (std::int64_t{1} << std::min(tries_++, 10));
  return std::min<Duration>(wait, kLastTry);
}

}  // namespace kgym::judge
