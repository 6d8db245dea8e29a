// Which speedup a reward believes.
//
// A measured speedup has an interval. Near 1x, where most submissions are, the noise of a point estimate is as large as
// what is to be learnt; a policy that samples often enough will find the lucky side of it.
//
// Threads: any; pure.
#pragma once

#include "gym/reward_facts.h"

namespace kgym::gym {

enum class SpeedupFrom {
  kMedian,           // The estimate, as published rewards use it.
  kLowEnd,           // The lower end of its interval: speed is paid for once it is sure.
  kDistinctFromOne,  // The estimate, but 1 where the interval includes 1.
};

/// 0 where the submission is not correct, or was not timed. Without an interval, the estimate.
double SpeedupOf(const RewardFacts& facts, SpeedupFrom from);

}  // namespace kgym::gym
