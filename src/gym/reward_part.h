// A reward and what it is made of.
//
// Threads: any; plain values.
#pragma once

#include "base/json.h"

namespace kgym::gym {

/// The parts, weights included, sum to the total unless a gate or a clip is in between.
struct Reward {
  double total = 0;
  double format = 0, compile = 0, correctness = 0, speed = 0, coverage = 0, length = 0, thinking = 0;

  double SumOfParts() const { return format + compile + correctness + speed + coverage + length + thinking; }
  Json ToJson() const;  // "reward_format", ..., "reward_total".
};

}  // namespace kgym::gym
