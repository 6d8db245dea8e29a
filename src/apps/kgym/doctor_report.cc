#include "apps/kgym/doctor_report.h"

#include <cmath>

#include "apps/kgym/console.h"
#include "apps/kgym/json_path.h"
#include "apps/kgym/table.h"
#include "base/duration.h"
#include "base/text.h"

namespace kgym::app {
namespace {

std::string TextAt(const Json& json, std::string_view path) {
  const Json& value = Lookup(json, path);
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : DumpJson(value);
}

/// The steps of both parts of the sandbox: the zygote's, then a host's.
Json Steps(const Json& report) {
  Json steps = Json::array();
  for (const char* path : {"provenance.zygote_sandbox.steps", "evaluation.provenance.sandbox.steps"}) {
    for (const Json& step : Lookup(report, path)) steps.push_back(step);
  }
  return steps;
}

void AdviseOnSandbox(const Json& report, Json& advice) {
  for (const Json& step : Steps(report)) {
    if (TextAt(step, "level") == "full") continue;
    advice.push_back(Concat("sandbox: ", TextAt(step, "name"), " is ", TextAt(step, "level"), " (",
                            TextAt(step, "detail"),
                            "); docs/sandbox.md says what that leaves open. Judge only what you trust here, or use "
                            "--set judge.sandbox=strict to refuse."));
  }
}

std::string Words(const Json& list) {
  std::vector<std::string> words;
  for (const Json& item : list) words.push_back(item.is_string() ? item.get<std::string>() : DumpJson(item));
  return Join(words, ", ");
}

void Row(std::string& text, std::string_view label, const std::string& value, bool colour) {
  const std::string space(label.size() < 16 ? 16 - label.size() : 1, ' ');
  text += Concat(Paint(label, Colour::kDim, colour), space, Printable(value), "\n");
}

std::string StateOf(const Json& backend) {
  if (!backend.value("runs", false)) return "does not run on this device";
  const Json missing = backend.value("missing", Json::array());
  if (!missing.empty()) return "lacks " + Words(missing);
  return backend.value("speed", false) ? "correctness and times" : "correctness only: it is interpreted on this device";
}

std::string Described(const Json& backend) {
  const std::string text = TextAt(backend, "description");
  return text.empty() ? "" : Concat(" (", text, ")");
}

void MachineText(const Json& report, std::string& text, bool colour) {
  const std::string cpu = TextAt(report, "provenance.cpu");
  Row(text, "machine", Concat(TextAt(report, "machine.system"), cpu.empty() ? "" : ", ", cpu), colour);
  Row(text, "cores",
      Concat(TextAt(report, "machine.cores"), "; measured on ", Words(Lookup(report, "machine.lane_cores"))), colour);
  for (const Json& card : Lookup(report, "cards")) {
    const double gib = card.value("memory_bytes", 0.0) / (std::int64_t{1} << 30);
    Row(text, "card " + TextAt(card, "device"),
        Concat(TextAt(card, "name"), ", ", std::lround(gib), " GiB, sm_", TextAt(card, "arch"), ", driver ",
               TextAt(card, "driver")),
        colour);
  }
  std::string versions;
  for (const auto& [name, version] : Lookup(report, "provenance.versions").items())
    versions += Concat(versions.empty() ? "" : ", ", name, " ", version.is_string() ? version.get<std::string>() : "?");
  Row(text, "python", Concat(TextAt(report, "python"), versions.empty() ? "" : ": ", versions), colour);
  const std::string compiler = TextAt(report, "compilers.g++");
  Row(text, "compiler", compiler.empty() ? "no g++" : compiler, colour);
  if (const std::string nvcc = TextAt(report, "compilers.nvcc"); !nvcc.empty()) Row(text, "nvcc", nvcc, colour);
  for (const auto& [name, backend] : Lookup(report, "backends").items())
    Row(text, "backend " + name, StateOf(backend) + Described(backend), colour);
  const std::string cgroups = Words(Lookup(report, "provenance.cgroups"));
  if (report.contains("provenance")) Row(text, "cgroups", cgroups.empty() ? "none usable" : cgroups, colour);
}

void MeasuredText(const Json& report, std::string& text, bool colour) {
  for (const auto& [label, path] : {std::pair{"zygote start", "zygote_start_ms"},
                                    {"a fork", "evaluation.stages.host_ms"},
                                    {"an evaluation", "evaluation.stages.total_ms"}}) {
    const Json& ms = Lookup(report, path);
    if (ms.is_number()) Row(text, label, FormatDuration(FromMs(ms.get<double>())), colour);
  }
}

std::string SandboxTable(const Json& report, bool colour) {
  Table table({{"sandbox step"}, {"level"}, {"detail", Table::Align::kLeft, 90}});
  for (const Json& step : Steps(report)) {
    const std::string level = TextAt(step, "level");
    const Colour how = level == "full" ? Colour::kGreen : level == "partial" ? Colour::kYellow : Colour::kRed;
    table.Add({{TextAt(step, "name")}, {level, how}, {TextAt(step, "detail")}});
  }
  return Steps(report).empty() ? "" : table.Text(colour) + "\n";
}

}  // namespace

void Diagnose(Json& report) {
  Json advice = Json::array();
  if (const std::string error = TextAt(report, "error"); !error.empty()) advice.push_back("the judge: " + error);
  if (!report.contains("provenance")) {
    advice.push_back(
        "Python: name one that has torch with KGYM_PYTHON=/path/to/python or --set judge.python=...; `make setup` "
        "makes one in .venv");
  }
  if (TextAt(report, "compilers.g++").empty())
    advice.push_back("compiler: install g++, without which backend cpp cannot build");
  for (const auto& [name, backend] : Lookup(report, "backends").items()) {
    const Json missing = backend.value("missing", Json::array());
    if (!missing.empty() && backend.value("runs", false))
      advice.push_back(Concat("backend ", name, " needs, for ", TextAt(report, "python"), ": ", Words(missing)));
  }
  AdviseOnSandbox(report, advice);
  if (report.contains("provenance") && Lookup(report, "provenance.cgroups").empty()) {
    advice.push_back(
        "cgroups: none is writable, so memory is limited for each process and not for their sum; run as root or "
        "delegate a cgroup");
  }
  const std::string outcome = TextAt(report, "evaluation.outcome");
  const bool can = outcome == "ok";
  if (!can && !outcome.empty())
    advice.push_back(Concat("a small evaluation ended in ", outcome, ": ", TextAt(report, "evaluation.reason")));
  report["can_evaluate"] = can;
  report["advice"] = advice;
}

std::string DoctorText(const Json& report, bool colour) {
  std::string text;
  MachineText(report, text, colour);
  MeasuredText(report, text, colour);
  text += "\n" + SandboxTable(report, colour);
  for (const Json& sentence : Lookup(report, "advice")) text += "- " + Printable(sentence.get<std::string>()) + "\n";
  const bool can = report["can_evaluate"] == true;
  const std::string backend = TextAt(report, "backend");
  text += Paint(can ? Concat("This machine can judge backend ", backend, ".")
                    : Concat("This machine cannot judge backend ", backend, " yet."),
                can ? Colour::kGreen : Colour::kRed, colour) +
          "\n";
  return text;
}

}  // namespace kgym::app
