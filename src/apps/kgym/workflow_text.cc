#include "apps/kgym/workflow_text.h"

#include "apps/kgym/console.h"
#include "apps/kgym/table.h"
#include "apps/kgym/verdict_text.h"
#include "base/text.h"

namespace kgym::app {
namespace {

constexpr std::size_t kLongestValue = 100;  // Of an output field, on a screen.

std::vector<std::string> NeedsOf(const judge::Workflow& workflow, const judge::Step& step) {
  std::vector<std::string> names;
  for (const std::size_t need : step.needs) names.push_back(workflow.steps[need].name);
  return names;
}

std::string Ms(const Json& ms) { return ms.is_number() ? Digits(ms.get<double>()) : ""; }

Colour ColourOfState(const std::string& state) {
  return state == "ok" ? Colour::kGreen : state == "failed" ? Colour::kRed : Colour::kYellow;
}

}  // namespace

std::string GraphText(const judge::Workflow& workflow) {
  std::string text = Concat(workflow.name, ": sound, ", workflow.steps.size(), " steps\n");
  for (const judge::Step& step : workflow.steps) {
    const std::vector<std::string> needs = NeedsOf(workflow, step);
    text += Concat("  ", step.name, " (", step.toolkit, ")", needs.empty() ? "" : " after ", Join(needs, ", "),
                   step.when ? Concat(" when ", step.when->text) : "", "\n");
  }
  return text;
}

Json GraphJson(const judge::Workflow& workflow) {
  Json steps = Json::array();
  for (const judge::Step& step : workflow.steps)
    steps.push_back({{"name", step.name}, {"toolkit", step.toolkit}, {"needs", NeedsOf(workflow, step)}});
  return {{"workflow", workflow.name},
          {"description", workflow.description},
          {"input", judge::ToJson(workflow.input)},
          {"steps", std::move(steps)}};
}

std::string RunText(const Json& report, bool colour) {
  const auto outcome = report["outcome"].get<std::string>();
  std::string text =
      Concat(Paint(outcome, ColourOf(outcome), colour), "  workflow ", report["workflow"].get<std::string>(), "\n\n");
  Table table({{"step"},
               {"toolkit"},
               {"state"},
               {"wall ms", Table::Align::kRight},
               {"CPU ms", Table::Align::kRight},
               {"why", Table::Align::kLeft, 110}});
  for (const Json& step : report["steps"]) {
    const auto state = step["state"].get<std::string>();
    const bool failed = state == "failed";
    table.Add({{step["name"].get<std::string>()},
               {step["toolkit"].get<std::string>()},
               {failed ? step["outcome"].get<std::string>() : state, ColourOfState(state)},
               {Ms(step["wall_ms"])},
               {Ms(step["cpu_ms"])},
               {Printable(step["reason"].get<std::string>())}});
  }
  text += table.Text(colour) + "\n";
  for (const auto& [name, value] : report["output"].items()) {
    const std::string shown = value.is_string() ? value.get<std::string>() : DumpJson(value);
    text += Concat(name, " = ", CutToWidth(Printable(shown), kLongestValue), "\n");
  }
  return text;
}

}  // namespace kgym::app
