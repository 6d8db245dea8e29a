// What a submission may use beside its own kernels: the judge's `allow_library` and `min_coverage`, and whether a
// submission keeps to them.
//
// Beyond what own_work.h asks (some kernel of its own must have made some output), a config may narrow what else may
// take part in a call: nothing that computes, or products and convolutions alone; and how much of the time own kernels
// must have. Operators and a card's kernels are told by the observed call; on a CPU, where a library can be called past
// every operator, what was sampled from outside (work_samples.h) must agree. An operator that only allocates, moves or
// fills computes nothing and is always allowed.
//
// Threads: any; pure.
#pragma once

#include "base/json.h"
#include "judge/judge_config.h"
#include "judge/ruling.h"
#include "judge/work_samples.h"

namespace kgym::judge {

/// By the facts of the observed call: computing operators of the framework, kernels of libraries on a card.
MaybeRuling RuleOnLibraries(AllowedLibrary allowed, const Json& facts);

/// What of a call's time libraries had, that was not allowed.
enum class Sampled { kWithin, kBeyond, kOpen };  // Open: the samples may mean either.

/// Less than a tenth of the time, less than what the observed call admitted, and what may be chance, is within.
Sampled SampledLibraries(AllowedLibrary allowed, const WorkSamples& samples, const SampledCalls& calls);

/// By the samples of batches like the timed ones. What is open is let pass.
MaybeRuling RuleOnSampledLibraries(AllowedLibrary allowed, const WorkSamples& samples, const SampledCalls& calls);

/// `coverage`: the verdict's own; null, where it is not known, decides nothing.
MaybeRuling RuleOnCoverage(double least, const Json& coverage);

}  // namespace kgym::judge
