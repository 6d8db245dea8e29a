#include "apps/kgym/verdict_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include "apps/kgym/console.h"
#include "apps/kgym/json_path.h"
#include "apps/kgym/table.h"
#include "base/duration.h"
#include "base/text.h"
#include "judge/statistics.h"

namespace kgym::app {
namespace {

constexpr std::size_t kShownNames = 6;
constexpr std::size_t kShownElements = 4;
constexpr std::size_t kLogTail = 16;      // Lines.
constexpr std::size_t kValueBytes = 200;  // Of one piece of evidence.

std::string Text(const Json& json) { return json.is_string() ? json.get<std::string>() : DumpJson(json); }

/// Names of a map's keys or a list's items, at most a few.
std::string Names(const Json& json) {
  std::vector<std::string> names;
  if (json.is_object()) {
    for (const auto& [name, value] : json.items()) names.push_back(name);
  } else if (json.is_array()) {
    for (const Json& item : json) names.push_back(Text(item));
  }
  if (names.size() > kShownNames) {
    const std::size_t more = names.size() - kShownNames;
    names.resize(kShownNames);
    names.push_back(Concat("and ", more, " more"));
  }
  return names.empty() ? "none" : Join(names, ", ");
}

/// Two significant digits.
std::string Brief(const Json& number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", number.get<double>());
  return text;
}

std::string Ms(const Json& value) { return FormatDuration(FromMs(value.get<double>())); }

std::string MsInterval(const Json& side) {
  const Json& interval = Lookup(side, "interval_ms");
  if (!interval.is_array() || interval.size() != 2) return "";
  return Concat("  [", Ms(interval[0]), ", ", Ms(interval[1]), "]  ", Text(Lookup(side, "trials")), " calls");
}

/// The text of a verdict as it grows, a labelled line at a time.
class Page {
 public:
  explicit Page(bool colour) : colour_(colour) {}

  void Line(std::string_view label, std::string_view text) {
    const std::string space(label.size() < kLabel ? kLabel - label.size() : 1, ' ');
    text_ += Concat("  ", Paint(label, Colour::kDim, colour_), space, Printable(text), "\n");
  }

  /// Lines without a label, each indented.
  void Block(std::string_view text, std::size_t last_lines = 1000) {
    std::vector<std::string> lines = Split(Trim(text), '\n');
    const std::size_t skipped = lines.size() > last_lines ? lines.size() - last_lines : 0;
    if (skipped > 0) Raw(Concat("    ... ", skipped, " lines before"));
    for (std::size_t i = skipped; i < lines.size(); ++i) Raw("    " + Printable(lines[i]));
  }

  void Raw(std::string_view line) { text_ += std::string(line) + "\n"; }
  bool colour() const { return colour_; }
  std::string Take() { return std::move(text_); }

 private:
  static constexpr std::size_t kLabel = 12;

  bool colour_;
  std::string text_;
};

void Heading(Page& page, const Json& verdict) {
  const std::string outcome = Text(Lookup(verdict, "outcome"));
  const std::string what = Concat(Text(Lookup(verdict, "problem.name")), "  ", Text(Lookup(verdict, "submission.name")),
                                  " (", Text(Lookup(verdict, "submission.backend")), ")");
  page.Raw(Concat(Paint(outcome, ColourOf(outcome), page.colour()), "  ",
                  Paint(Printable(what), Colour::kBold, page.colour())));
  page.Raw("  " + Printable(Text(Lookup(verdict, "reason"))));
}

void Times(Page& page, const Json& verdict) {
  if (const std::string speedup = SpeedupWithInterval(verdict); !speedup.empty()) page.Line("speedup", speedup);
  for (const std::string side : {"reference", "candidate"}) {
    const Json& median = Lookup(verdict, side + "_ms");
    if (median.is_number()) page.Line(side, Ms(median) + MsInterval(Lookup(verdict, "timing." + side)));
  }
  if (Lookup(verdict, "compiled_reference_ms").is_number())
    page.Line("compiled", Ms(Lookup(verdict, "compiled_reference_ms")) + "  the reference under torch.compile");
}

void Correctness(Page& page, const Json& correctness) {
  if (!correctness.is_object()) return;
  std::string line =
      Concat(Text(Lookup(correctness, "passed")), " of ", Text(Lookup(correctness, "sets")), " input sets right");
  if (const Json& worst = Lookup(correctness, "max_rel"); worst.is_number())
    line += Concat("; largest relative error ", Brief(worst));
  const Json& rtol = Lookup(correctness, "tolerances.0.rtol");
  const Json& atol = Lookup(correctness, "tolerances.0.atol_rms");
  if (rtol.is_number() && atol.is_number())
    line += Concat(" (allowed: ", Brief(rtol), " of each element + ", Brief(atol), " of the rms)");
  page.Line("correctness", line);
  const Json& first = Lookup(correctness, "first");
  for (std::size_t i = 0; first.is_array() && i < std::min(first.size(), kShownElements); ++i) {
    page.Raw(Printable(Concat("    at ", DumpJson(Lookup(first[i], "index")), ": got ", Text(Lookup(first[i], "got")),
                              ", expected ", Text(Lookup(first[i], "expected")))));
  }
}

void OwnWork(Page& page, const Json& own_work) {
  if (!own_work.is_object()) return;
  std::string line = Concat("kernels: ", Names(Lookup(own_work, "kernels")),
                            "; framework operators: ", Names(Lookup(own_work, "operators")));
  if (const Json& inside = Lookup(own_work, "inside"); inside.is_object() && !inside.empty())
    line += "; inside its kernels: " + Names(inside);
  page.Line("own work", line);
}

void Evidence(Page& page, const Json& verdict) {
  for (const auto& [key, value] : Lookup(verdict, "evidence").items()) {
    if (key == "traceback" || value.is_null()) continue;
    page.Line(key, TruncateUtf8(Text(value), kValueBytes));
  }
  if (const Json& trace = Lookup(verdict, "evidence.traceback"); trace.is_string()) {
    page.Line("traceback", "");
    page.Block(trace.get<std::string>());
  }
}

/// "1.96 s: timing 1.15 s, build 378 ms, ..."; what took under a hundredth of the whole is left out.
std::string WhereTheTimeWent(const Json& stages) {
  const Json& whole = Lookup(stages, "total_ms");
  const double total = whole.is_number() ? whole.get<double>() : 0;
  std::string text = FormatDuration(FromMs(total));
  std::string_view between = ": ";
  for (const auto& [key, value] : stages.items()) {
    const bool stage = key.ends_with("_ms") && key != "total_ms" && key != "code_ms" && value.is_number();
    if (!stage || value.get<double>() < total / 100) continue;
    std::string name = key.substr(0, key.size() - 3);
    std::ranges::replace(name, '_', ' ');
    text += Concat(between, name, " ", Ms(value));
    between = ", ";
  }
  return text;
}

/// Decimals that leave three significant digits.
int Decimals(double value) {
  const int magnitude =
      value == 0 || !std::isfinite(value) ? 0 : static_cast<int>(std::floor(std::log10(std::fabs(value))));
  return std::clamp(2 - magnitude, 0, 9);
}

std::string Fixed(double value, int decimals) {
  if (!std::isfinite(value)) return "?";
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::optional<judge::Interval> SpeedupInterval(const Json& verdict) {
  const Json& low = Lookup(verdict, "speedup_interval.0");
  const Json& high = Lookup(verdict, "speedup_interval.1");
  if (!low.is_number() || !high.is_number()) return std::nullopt;
  return judge::Interval{low.get<double>(), high.get<double>()};
}

}  // namespace

std::string Digits(double value) { return Fixed(value, Decimals(value)); }

std::string SpeedupWithInterval(const Json& verdict) {
  if (!Lookup(verdict, "speedup").is_number()) return "";
  std::string text = Digits(Lookup(verdict, "speedup").get<double>()) + "x";
  if (const auto interval = SpeedupInterval(verdict))
    text += Concat("  [", Digits(interval->low), ", ", Digits(interval->high), "]");
  return text;
}

std::string SpeedupPlusMinus(const Json& verdict) {
  const Json& speedup = Lookup(verdict, "speedup");
  if (!speedup.is_number()) return "";
  const int decimals = Decimals(speedup.get<double>());
  const auto interval = SpeedupInterval(verdict);
  const std::string text = Fixed(speedup.get<double>(), decimals);
  return interval ? Concat(text, " ± ", Fixed((interval->high - interval->low) / 2, decimals)) : text;
}

std::string VerdictLine(const Json& verdict) {
  const std::string outcome = Text(Lookup(verdict, "outcome"));
  return Lookup(verdict, "speedup").is_number()
             ? Concat(outcome, " ", Digits(Lookup(verdict, "speedup").get<double>()), "x")
             : outcome;
}

std::string VerdictText(const Json& verdict, bool colour) {
  Page page(colour);
  const bool ok = Lookup(verdict, "outcome") == "ok";
  Heading(page, verdict);
  Times(page, verdict);
  Correctness(page, Lookup(verdict, "correctness"));
  OwnWork(page, Lookup(verdict, "own_work"));
  if (!ok) Evidence(page, verdict);
  for (const Json& note : Lookup(verdict, "notes")) page.Line("note", Text(note));
  if (const std::string log = Text(Lookup(verdict, "log")); !ok && !Trim(log).empty()) {
    page.Line("output", "");
    page.Block(log, kLogTail);
  }
  if (const std::string next = Text(Lookup(verdict, "next_step")); !next.empty()) page.Line("next", next);
  page.Line("time", WhereTheTimeWent(Lookup(verdict, "stages")));
  page.Line("id", Text(Lookup(verdict, "id")));
  return page.Take();
}

}  // namespace kgym::app
