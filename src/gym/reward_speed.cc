#include "gym/reward_speed.h"

namespace kgym::gym {

double SpeedupOf(const RewardFacts& facts, SpeedupFrom from) {
  if (!facts.correct || !facts.speedup) return 0;
  const double median = *facts.speedup;
  const double low = facts.speedup_low.value_or(median);
  const double high = facts.speedup_high.value_or(median);
  if (from == SpeedupFrom::kLowEnd) return low;
  if (from == SpeedupFrom::kDistinctFromOne && low <= 1 && 1 <= high) return 1;
  return median;
}

}  // namespace kgym::gym
