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

/// A round over the arena's slots: all calls that warm up have the last slot, the others one each, starting anywhere.
/// All get fresh inputs, since any may be verified.
struct RoundPlan {
  std::vector<Session::Set> sets;  // Of the slot for warming up, where there is such a call, then of the timed calls.
  std::vector<int> slots;          // In the order of the calls, warm-up first.
};

RoundPlan PlanRound(int slots, BatchShape shape);

/// One entry for each call of the round, of what was filled for its sets: the calls that warm up share theirs.
std::vector<Filled> ForEachCall(std::vector<Filled> filled, BatchShape shape);

/// Asks for a call on each of `filled`, behind work on the card that takes `delay`.
Json BatchRequest(const std::vector<Filled>& filled, Duration delay);

}  // namespace kgym::judge
