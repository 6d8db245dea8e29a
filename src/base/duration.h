// Lengths of time. A Duration counts nanoseconds; on the wire a time is a number of milliseconds in a field `..._ms`.
//
// Threads: any.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kgym {

using Duration = std::chrono::nanoseconds;

using std::chrono_literals::operator""ns;
using std::chrono_literals::operator""us;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""h;

double ToMs(Duration duration);
double ToSeconds(Duration duration);

/// Rounded to the nearest nanosecond; not a number gives zero, what is out of range the nearest end.
Duration FromMs(double ms);
Duration FromSeconds(double seconds);

/// "250ms", "2s", "1m", "1.5h", "30us", "0"; a number without a unit is refused, except 0.
Result<Duration> ParseDuration(std::string_view text);

/// Three significant digits for a person: "812 ns", "1.25 ms", "2 min 5 s".
std::string FormatDuration(Duration duration);

/// Exact, in the largest unit that leaves no fraction, as ParseDuration reads it: "250ms", "90s", "1m".
std::string ExactDuration(Duration duration);

}  // namespace kgym
