// The outcome of an evaluation: a closed set, set by the stage that saw what happened, never read out of a message.
//
// `ok` · `fail:*` the submission is honest and wrong · `rejected:*` it is not what it seems · `infra` our own fault, to
// be retried and never billed.
//
// Threads: any; plain values.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace kgym::judge {

enum class Outcome {
  kOk,
  kFailFormat,   // Not UTF-8, not Python, no entry.
  kFailCompile,  // The native or Triton compiler refused it.
  kFailLoad,     // Importing or constructing it raised.
  kFailRuntime,  // A call raised.
  kFailShape,    // Structure or shape of the outputs.
  kFailDtype,
  kFailNumerical,
  kFailNan,               // NaN or Inf where the reference has none, or the reverse.
  kFailNondeterministic,  // Right for some calls on the same inputs, wrong for others.
  kFailTimeout,
  kFailOom,
  kFailCrash,  // A signal, or an end before the last answer.
  kRejectedTimingTamper,
  kRejectedAsyncEscape,
  kRejectedLazyOutput,
  kRejectedReplayCache,
  kRejectedStaleMemory,
  kRejectedNoWork,
  kRejectedInputTamper,
  kRejectedOracleLeak,
  kRejectedHarnessTamper,
  kRejectedResultForgery,
  kRejectedReferenceCall,
  kRejectedLibraryCall,
  kRejectedDecoyKernel,
  kRejectedPrecisionDowngrade,
  kRejectedTestOverfit,
  kRejectedCacheResidency,
  kRejectedBaselineTamper,
  kRejectedImplausible,
  kInfra,
};

/// "ok", "fail:compile", "rejected:decoy-kernel", "infra", ...
std::string_view ToString(Outcome outcome);
std::optional<Outcome> OutcomeFromString(std::string_view text);
std::span<const Outcome> AllOutcomes();

/// What a person whose submission ended so should do next; one sentence, empty for ok.
std::string_view NextStep(Outcome outcome);

}  // namespace kgym::judge
