#include "apps/kgym/evaluation_table.h"
#include "apps/kgym/console.h"

#include <map>

#include "apps/kgym/json_path.h"
#include "apps/kgym/table.h"
#include "apps/kgym/verdict_text.h"
#include "apps/kgym/workflow_text.h"
#include "base/text.h"

namespace kgym::app {
namespace {

std::string TextAt(const Json& json, std::string_view path) {
  const Json& value = Lookup(json, path);
  return value.is_string() ? value.get<std::string>() : "";
}

std::string NumberAt(const Json& json, std::string_view path) {
  const Json& value = Lookup(json, path);
  return value.is_number() ? Digits(value.get<double>()) : "";
}

/// Why there is no verdict, or not yet.
std::string Why(const Json& evaluation) {
  for (const char* path : {"error", "error.message", "waits_for", "reason"}) {
    if (std::string text = TextAt(evaluation, path); !text.empty()) return text;
  }
  const Json& position = Lookup(evaluation, "position");
  if (position.is_number()) return Concat("position ", position.get<std::int64_t>());
  const std::string same = TextAt(evaluation, "attached_to");
  return same.empty() || HasEnded(evaluation) ? "" : "as " + same;
}

Colour ColourOfStanding(const Json& evaluation, const std::string& standing) {
  const std::string state = TextAt(evaluation, "state");
  return state == "queued" || state == "running" ? Colour::kPlain : ColourOf(standing);
}

}  // namespace

bool HasEnded(const Json& evaluation) {
  const std::string state = TextAt(evaluation, "state");
  return state == "done" || state == "cancelled" || state == "dead";
}

ExitCode CodeOf(const Json& evaluation) {
  const std::string standing = StandingOf(evaluation);
  if (standing == "ok") return kFine;
  if (standing == "error" || standing == "not known") return kBadInput;
  return standing == "infra" || standing == "dead" ? kOurFault : kOtherVerdict;
}

std::string SubjectOf(const Json& evaluation) {
  const std::string problem = TextAt(evaluation, "problem");
  return problem.empty() ? TextAt(evaluation, "workflow") : problem;
}

std::string StandingOf(const Json& evaluation) {
  if (Lookup(evaluation, "error").is_string()) return "not known";
  const std::string state = TextAt(evaluation, "state");
  if (state == "done") return TextAt(evaluation, "outcome");
  const std::string stage = TextAt(evaluation, "stage");
  return state == "running" && !stage.empty() ? Concat(state, ": ", stage) : state;
}

std::string EvaluationTable(const std::vector<Json>& evaluations, bool colour) {
  using enum Table::Align;
  Table table({{"id", kLeft, 64},
               {"problem"},
               {"standing", kLeft, 32},
               {"speedup", kRight},
               {"reference ms", kRight},
               {"candidate ms", kRight},
               {"why", kLeft, 80}});
  for (const Json& one : evaluations) {
    const std::string standing = StandingOf(one);
    const Json& verdict = Lookup(one, "verdict");
    const std::string speedup = verdict.is_object() ? SpeedupPlusMinus(verdict) : NumberAt(one, "speedup");
    table.Add({{TextAt(one, "id")},
               {SubjectOf(one)},
               {standing, ColourOfStanding(one, standing)},
               {speedup},
               {NumberAt(verdict, "reference_ms")},
               {NumberAt(verdict, "candidate_ms")},
               {Why(one)}});
  }
  return table.Text(colour);
}

std::string CountsOf(const std::vector<Json>& evaluations) {
  std::map<std::string, int> counts;
  for (const Json& one : evaluations) ++counts[StandingOf(one)];
  std::string text = Concat(evaluations.size(), evaluations.size() == 1 ? " evaluation: " : " evaluations: ");
  if (evaluations.empty()) return text + "none";
  std::vector<std::string> parts;
  if (counts.contains("ok")) parts.push_back(Concat(counts["ok"], " ok"));
  for (const auto& [standing, count] : counts) {
    if (standing != "ok") parts.push_back(Concat(count, " ", standing));
  }
  return text + Join(parts, ", ");
}

std::string EvaluationText(const Json& evaluation, bool colour) {
  if (const Json& verdict = Lookup(evaluation, "verdict"); verdict.is_object()) return VerdictText(verdict, colour);
  if (const Json& report = Lookup(evaluation, "report"); TextAt(report, "schema") == "kgym.workflow/1")
    return RunText(report, colour);
  const std::string standing = StandingOf(evaluation);
  std::string text = Concat(Paint(standing, ColourOf(standing), colour), "  ", TextAt(evaluation, "id"), "  ",
                            Printable(Why(evaluation)));
  text = Concat(Trim(text), "\n");
  const std::string traceback = TextAt(evaluation, "error.traceback");
  return traceback.empty() ? text : Concat(text, Trim(Printable(traceback)), "\n");
}

}  // namespace kgym::app
