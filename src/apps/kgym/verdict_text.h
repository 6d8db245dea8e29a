// A verdict for a person: outcome, why, numbers, what to do next. Made from its JSON, so that a kept verdict reads the
// same.
//
// What a submission wrote is cleaned of control characters before it reaches a terminal.
//
// Threads: any; pure.
#pragma once

#include <string>

#include "base/json.h"

namespace kgym::app {

/// Many lines, the last one ended.
std::string VerdictText(const Json& verdict, bool colour);

/// One line: "ok 1.43x", "fail:shape", "rejected:no-work".
std::string VerdictLine(const Json& verdict);

/// Three significant digits without an exponent: "0.0123", "1.43", "1230".
std::string Digits(double value);

/// "1.43x [1.40, 1.47]", "1.43 ± 0.04"; empty where no speedup was measured.
std::string SpeedupWithInterval(const Json& verdict);
std::string SpeedupPlusMinus(const Json& verdict);

}  // namespace kgym::app
