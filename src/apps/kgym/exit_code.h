// The program's exit codes, the same for every subcommand.
//
// Threads: any.
#pragma once

#include "judge/outcome.h"

namespace kgym::app {

enum ExitCode : int {
  kFine = 0,
  kOtherVerdict = 1,  // A submission is wrong or rejected, a case is not as expected, a problem is unsound.
  kBadInput = 2,      // Usage, a file, a configuration, a problem that cannot be judged.
  kOurFault = 3,      // `infra`, or the judge did not start.
  kInterrupted = 130,
};

inline ExitCode ExitCodeOf(judge::Outcome outcome) {
  if (outcome == judge::Outcome::kOk) return kFine;
  return outcome == judge::Outcome::kInfra ? kOurFault : kOtherVerdict;
}

/// The one that says more, of many rows: bad input before our fault before a verdict that is not ok.
inline ExitCode Worse(ExitCode a, ExitCode b) {
  if (a == kBadInput || b == kBadInput) return kBadInput;
  return a > b ? a : b;
}

}  // namespace kgym::app
