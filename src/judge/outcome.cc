#include "judge/outcome.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace kgym::judge {
namespace {

struct Row {
  Outcome outcome;
  std::string_view name;
  std::string_view next_step;
};

constexpr Row kRows[] = {
    {Outcome::kOk, "ok", ""},
    {Outcome::kFailFormat, "fail:format",
     "Send one plain Python file in UTF-8 that defines ModelNew, without markdown fences."},
    {Outcome::kFailCompile, "fail:compile",
     "Mend what the compiler names; the line numbers are those of your own source."},
    {Outcome::kFailLoad, "fail:load",
     "Import the file and construct ModelNew(*get_init_inputs()) yourself: one of the two raised."},
    {Outcome::kFailRuntime, "fail:runtime", "Call forward with the problem's inputs; the traceback names the line."},
    {Outcome::kFailShape, "fail:shape", "Return the same nesting and shapes as the reference."},
    {Outcome::kFailDtype, "fail:dtype", "Return the dtype that the reference returns."},
    {Outcome::kFailNumerical, "fail:numerical",
     "Compare with the reference at the elements shown under correctness.first."},
    {Outcome::kFailNan, "fail:nan", "Look for a division by zero, an overflow, or elements that are never written."},
    {Outcome::kFailNondeterministic, "fail:nondeterministic",
     "Look for a race: the same inputs gave a right and a wrong answer."},
    {Outcome::kFailTimeout, "fail:timeout",
     "Make the stage named finish in its limit, or raise the limit in the config."},
    {Outcome::kFailOom, "fail:oom", "Allocate less, or raise limits.memory in the config."},
    {Outcome::kFailCrash, "fail:crash", "Run it under a debugger or with bounds checks: the process ended by itself."},
    {Outcome::kRejectedTimingTamper, "rejected:timing-tamper",
     "Leave clocks alone; times are taken outside the submission's process."},
    {Outcome::kRejectedAsyncEscape, "rejected:async-escape", "Finish all work before forward returns."},
    {Outcome::kRejectedLazyOutput, "rejected:lazy-output", "Return plain tensors, computed."},
    {Outcome::kRejectedReplayCache, "rejected:replay-cache",
     "Compute each call from its inputs; do not return an earlier answer."},
    {Outcome::kRejectedStaleMemory, "rejected:stale-memory", "Write every element of the output."},
    {Outcome::kRejectedNoWork, "rejected:no-work", "Compute the answer; a constant or a copy of an input is none."},
    {Outcome::kRejectedInputTamper, "rejected:input-tamper", "Leave the inputs as the reference leaves them."},
    {Outcome::kRejectedOracleLeak, "rejected:oracle-leak", "Compute the answer instead of looking for it."},
    {Outcome::kRejectedHarnessTamper, "rejected:harness-tamper",
     "Leave the interpreter, its libraries and other processes alone."},
    {Outcome::kRejectedResultForgery, "rejected:result-forgery", "Do not write to descriptors that are not yours."},
    {Outcome::kRejectedReferenceCall, "rejected:reference-call",
     "Write a kernel: these are the reference's own operators."},
    {Outcome::kRejectedLibraryCall, "rejected:library-call",
     "Write a kernel: library operators made the whole result."},
    {Outcome::kRejectedDecoyKernel, "rejected:decoy-kernel",
     "Use the kernel: nothing that it computes reaches the output."},
    {Outcome::kRejectedPrecisionDowngrade, "rejected:precision-downgrade", "Compute in the precision of the problem."},
    {Outcome::kRejectedTestOverfit, "rejected:test-overfit", "Compute for any inputs, not only for well-known ones."},
    {Outcome::kRejectedCacheResidency, "rejected:cache-residency", "Do not pin data in a cache between calls."},
    {Outcome::kRejectedBaselineTamper, "rejected:baseline-tamper", "Use the processor only inside forward."},
    {Outcome::kRejectedImplausible, "rejected:implausible",
     "The time is below what the memory traffic needs; the problem may be degenerate."},
    {Outcome::kInfra, "infra",
     "This is the judge's fault. Run it again; if it stays, report it with the verdict's id."},
};

const Row& RowOf(Outcome outcome) {
  const auto* row = std::ranges::find(kRows, outcome, &Row::outcome);
  KGYM_CHECK(row != std::end(kRows));
  return *row;
}

}  // namespace

std::string_view ToString(Outcome outcome) { return RowOf(outcome).name; }

std::string_view NextStep(Outcome outcome) { return RowOf(outcome).next_step; }

std::optional<Outcome> OutcomeFromString(std::string_view text) {
  const auto* row = std::ranges::find(kRows, text, &Row::name);
  if (row == std::end(kRows)) return std::nullopt;
  return row->outcome;
}

std::span<const Outcome> AllOutcomes() {
  static const auto all = [] {
    std::array<Outcome, std::size(kRows)> outcomes{};
    std::ranges::transform(kRows, outcomes.begin(), &Row::outcome);
    return outcomes;
  }();
  return all;
}

}  // namespace kgym::judge
