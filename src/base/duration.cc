#include "base/duration.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

namespace kgym {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};

constexpr std::array<Unit, 6> kUnits = {{{"h", 3'600'000'000'000},
                                         {"m", 60'000'000'000},
                                         {"s", 1'000'000'000},
                                         {"ms", 1'000'000},
                                         {"us", 1'000},
                                         {"ns", 1}}};

Duration FromNanoseconds(double count) {
  constexpr double kLimit = 9.2e18;  // Just inside the range of the type.
  if (std::isnan(count)) return Duration::zero();
  if (count >= kLimit) return Duration::max();
  if (count <= -kLimit) return Duration::min();
  return Duration(std::llround(count));
}

std::string Significant(double value, const char* unit) {
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%.*f %s", decimals, value, unit);
  return text.data();
}

}  // namespace

double ToMs(Duration duration) { return static_cast<double>(duration.count()) / 1e6; }
double ToSeconds(Duration duration) { return static_cast<double>(duration.count()) / 1e9; }
Duration FromMs(double ms) { return FromNanoseconds(ms * 1e6); }
Duration FromSeconds(double seconds) { return FromNanoseconds(seconds * 1e9); }

Result<Duration> ParseDuration(std::string_view text) {
  const auto refuse = [&] {
    return Error{"'" + std::string(text) +
                 "' is not a duration; a number and a unit (ns, us, ms, s, m, h) is expected, such as 250ms"};
  };
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || !std::isfinite(number)) return refuse();
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.empty() && number == 0) return Duration::zero();
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const Unit& known : kUnits) {
    if (unit == known.name) return FromNanoseconds(number * static_cast<double>(known.nanoseconds));
  }
  return refuse();
}

std::string FormatDuration(Duration duration) {
  if (duration < Duration::zero()) {
    return "-" + FormatDuration(duration == Duration::min() ? Duration::max() : -duration);
  }
  const double ns = static_cast<double>(duration.count());
  if (ns < 1e3) return std::to_string(duration.count()) + " ns";
  if (ns < 1e6) return Significant(ns / 1e3, "us");
  if (ns < 1e9) return Significant(ns / 1e6, "ms");
  if (ns < 60e9) return Significant(ns / 1e9, "s");
  const std::int64_t seconds = std::llround(ns / 1e9);
  if (seconds < 3600) return std::to_string(seconds / 60) + " min " + std::to_string(seconds % 60) + " s";
  return std::to_string(seconds / 3600) + " h " + std::to_string(seconds % 3600 / 60) + " min";
}

std::string ExactDuration(Duration duration) {
  const std::int64_t count = duration.count();
  if (count == 0) return "0s";
  for (const Unit& unit : kUnits) {
    if (count % unit.nanoseconds == 0) return std::to_string(count / unit.nanoseconds) + std::string(unit.name);
  }
  return std::to_string(count) + "ns";
}

}  // namespace kgym
