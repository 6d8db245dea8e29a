// What a batch is made of before anybody is asked: which slots are called in which order, and the question that asks
// a candidate for them.
//
// Batches whose times count and those in which the candidate is only looked at (witness.h) are made here alike, so that
// the candidate cannot tell one from the other.
//
// Threads: any; plain values.
#pragma once

#include <vector>

#include "judge/session.h"
#include "judge/timing.h"

namespace kgym::judge {

/// A round over the arena's slots: the last slot is for warming up and keeps its inputs, the others get fresh ones,
/// starting anywhere.
struct RoundPlan {
  std::vector<Session::Set> sets;  // Of the timed calls.
  std::vector<int> slots;          // In the order of the calls, warm-up first.
};

RoundPlan PlanRound(int slots, BatchShape shape);

/// Asks for a call on each of `filled`, behind work on the card that takes `delay`.
Json BatchRequest(const std::vector<Filled>& filled, Duration delay);

}  // namespace kgym::judge
