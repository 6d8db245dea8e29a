// Is the answer the submission's own work? Decided from the facts of one observed call (python/kgym_runner/own_work.py
// says what each means).
//
// Nothing of its own in any output is a rejection, and the facts say of which kind: the reference's own operators,
// other library operators, a library behind a thin native wrapper, or a kernel that was never launched or whose result
// nobody uses.
//
// Threads: any; pure.
#pragma once

#include "base/json.h"
#include "judge/ruling.h"

namespace kgym::judge {

/// `facts`: the candidate host's; `reference_operators`: name -> count, the reference host's.
MaybeRuling RuleOnOwnWork(const Json& facts, const Json& reference_operators);

/// Framework operators that ran in timed calls and not in the observed one: the submission has two faces. `watched`:
/// their counts, null where they could not be watched.
MaybeRuling RuleOnTwoFaces(const Json& facts, const Json& watched);

/// The same of a GPU's kernels: libraries, torch among them, whose share of the time in timed calls is much more than
/// it was in the observed call. `watched`: the profile of a batch, null where there is none.
MaybeRuling RuleOnKernelsOfTwoFaces(const Json& facts, const Json& watched);

/// The part of the facts that a verdict carries: kernels, launches, operators, outputs, share of time in own code and
/// in each library.
Json OwnWorkSummary(const Json& facts);

}  // namespace kgym::judge
