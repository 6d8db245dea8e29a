#include "apps/kgym/overview_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "apps/kgym/console.h"
#include "apps/kgym/evaluation_table.h"
#include "apps/kgym/json_path.h"
#include "apps/kgym/table.h"
#include "apps/kgym/verdict_text.h"
#include "base/duration.h"
#include "base/text.h"

namespace kgym::app {
namespace {

std::string TextAt(const Json& json, std::string_view path) {
  const Json& value = Lookup(json, path);
  return value.is_string() ? value.get<std::string>() : "";
}

std::int64_t CountAt(const Json& json, std::string_view path) {
  const Json& value = Lookup(json, path);
  return value.is_number() ? value.get<std::int64_t>() : 0;
}

std::string Heading(const Json& overview, const std::string& url, bool colour) {
  const Json& uptime = Lookup(overview, "uptime_s");
  std::string text =
      Concat(Paint("kgym " + Printable(TextAt(overview, "version")), Colour::kBold, colour), " on ", url);
  if (uptime.is_number()) text += "   up " + FormatDuration(FromSeconds(uptime.get<double>()));
  if (Lookup(overview, "draining") == true) text += "   " + Paint("draining", Colour::kYellow, colour);
  return text + "\n";
}

std::string Totals(const Json& overview) {
  const Json& rate = Lookup(overview, "ended_per_s");
  const std::string per_second = rate.is_number() && rate.get<double>() > 0 ? Digits(rate.get<double>()) : "0";
  return Concat("queue     ", CountAt(overview, "queue.queued"), " queued, ", CountAt(overview, "queue.running"),
                " running\nended     ", CountAt(overview, "ended.done"), " done, ",
                CountAt(overview, "ended.cancelled"), " cancelled, ", CountAt(overview, "ended.dead"), " dead; ",
                per_second, " a second\n");
}

/// "verdicts  90 ok, 8 fail:numerical", the most frequent first.
std::string Verdicts(const Json& overview, bool colour) {
  const Json& outcomes = Lookup(overview, "outcomes");
  std::vector<std::pair<std::int64_t, std::string>> counts;
  for (const auto& [outcome, count] : outcomes.items()) {
    if (count.is_number()) counts.emplace_back(count.get<std::int64_t>(), outcome);
  }
  std::ranges::stable_sort(counts, std::greater(), [](const auto& one) { return one.first; });
  std::vector<std::string> parts;
  for (const auto& [count, outcome] : counts)
    parts.push_back(Concat(count, " ", Paint(Printable(outcome), ColourOf(outcome), colour)));
  return Concat("verdicts  ", parts.empty() ? "none yet" : Join(parts, ", "), "\n");
}

Colour ColourOfLane(const std::string& state) {
  return state == "quarantined" ? Colour::kRed : state == "ready" ? Colour::kGreen : Colour::kYellow;
}

std::string Lanes(const Json& overview, std::size_t rows, bool colour) {
  using enum Table::Align;
  const Json& lanes = Lookup(overview, "lanes");
  if (lanes.empty()) return "no lane; `kgym worker --join` brings some\n";
  Table table({{"lane"},
               {"worker"},
               {"state"},
               {"running", kRight},
               {"slots", kRight},
               {"done", kRight},
               {"failed", kRight},
               {"fault", kLeft, 80}});
  for (std::size_t i = 0; i < std::min(rows, lanes.size()); ++i) {
    const Json& lane = lanes[i];
    const std::string state = TextAt(lane, "state");
    const auto count = [&lane](const char* name) { return std::to_string(CountAt(lane, name)); };
    table.Add({{TextAt(lane, "name")},
               {TextAt(lane, "worker")},
               {state, ColourOfLane(state)},
               {count("running")},
               {count("slots")},
               {count("done")},
               {count("failed")},
               {TextAt(lane, "fault")}});
  }
  const std::string more = lanes.size() > rows ? Concat("and ", lanes.size() - rows, " more\n") : "";
  return table.Text(colour) + more;
}

std::string Evaluations(const Json& lines, const char* title, std::size_t rows, bool colour) {
  if (lines.empty()) return "";
  Table table({{title, Table::Align::kLeft, 64},
               {"problem"},
               {"standing", Table::Align::kLeft, 32},
               {"speedup", Table::Align::kRight},
               {"lane"},
               {"run", Table::Align::kLeft, 32}});
  for (std::size_t i = 0; i < std::min(rows, lines.size()); ++i) {
    const Json& line = lines[i];
    const std::string standing = StandingOf(line);
    const Json& speedup = Lookup(line, "speedup");
    table.Add({{TextAt(line, "id")},
               {SubjectOf(line)},
               {standing, HasEnded(line) ? ColourOf(standing) : Colour::kPlain},
               {speedup.is_number() ? Digits(speedup.get<double>()) : ""},
               {TextAt(line, "lane")},
               {TextAt(line, "run")}});
  }
  return "\n" + table.Text(colour);
}

}  // namespace

std::string OverviewText(const Json& overview, const std::string& url, std::size_t rows, bool colour) {
  return Concat(Heading(overview, url, colour), "\n", Totals(overview), Verdicts(overview, colour), "\n",
                Lanes(overview, rows, colour), Evaluations(Lookup(overview, "running"), "running", rows, colour),
                Evaluations(Lookup(overview, "recent"), "ended last", rows, colour));
}

}  // namespace kgym::app
