// The correctness stage: several input sets from secret seeds, each answered in a call of its own and compared by the
// reference host.
//
// The sets: fresh ones, spiked ones and near-duplicates of the set before, some in the place of the one before and some
// elsewhere, so that an answer kept by address, by identity or by a few elements is wrong; at last one set again, for
// determinism. docs/correctness.md says why.
//
// Threads: the lane's executor.
#pragma once

#include "judge/ruling.h"
#include "judge/session.h"

namespace kgym::judge {

struct CorrectnessReport {
  int sets = 0;
  int passed = 0;
  Json worst = Json::object();  // The difference of the set with the largest relative error, or of the one that failed.
  bool deterministic = true;
  bool strides_differ = false;
  Duration shortest_call{};  // From request to answer, of a set that passed.

  Json ToJson(const ProblemFacts& facts) const;
};

/// The kinds and places of `count` sets over `slots` slots, the last one being the repeat. Pure.
std::vector<Session::Set> PlanSets(int count, int slots);

Awaitable<Result<MaybeRuling>> CheckCorrectness(Session& session, CorrectnessReport& report);

}  // namespace kgym::judge
