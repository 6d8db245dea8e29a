// The facts of a verdict that a reward may use. Those of the reply's text (lengths, thinking, the turn) are the
// caller's to add.
//
// Threads: any; pure.
#pragma once

#include "gym/reward_facts.h"
#include "judge/verdict.h"

namespace kgym::gym {

OutcomeKind KindOf(judge::Outcome outcome);

/// Correct means that the outcome is ok; compiled, that the evaluation got past building and loading. Tests are those
/// of the correctness stage, as far as it got.
RewardFacts FactsOf(const judge::Verdict& verdict);

}  // namespace kgym::gym
