#include "judge/own_work.h"

#include <algorithm>

#include "base/text.h"

namespace kgym::judge {
namespace {

const Json& Field(const Json& facts, const char* key) {
  static const Json kEmpty = Json::object();
  return facts.contains(key) && facts[key].is_structured() ? facts[key] : kEmpty;
}

std::string Names(const Json& counts) {
  std::vector<std::string> names;
  for (const auto& [name, count] : counts.items()) names.push_back(name);
  if (names.size() > 6) names.resize(6);
  return Join(names, ", ");
}

/// Whether every computing operator of the reference was called, and nothing else.
bool SameOperators(const Json& mine, const Json& reference) {
  if (mine.empty() || mine.size() != reference.size()) return false;
  return std::ranges::all_of(mine.items(), [&reference](const auto& item) { return reference.contains(item.key()); });
}

bool OwnOutput(const Json& output) { return output.value("kind", "") == "own"; }

Ruling Without(const Json& facts, const Json& reference_operators) {
  Json operators = Field(facts, "operators");
  for (const auto& [name, count] : Field(facts, "unseen").items()) operators[name] = count;
  const Json& inside = Field(facts, "inside");
  Json evidence = {{"stage", "own work"}, {"operators", operators}, {"kernels", Field(facts, "kernels")}, {"launches", Field(facts, "launches")}};
  const bool kernels = !Field(facts, "kernels").empty() || !Field(facts, "foreign").empty();
  if (!Field(facts, "raised").empty() || (facts.contains("compile_errors") && !facts["compile_errors"].empty())) {
    evidence["raised"] = Field(facts, "raised").empty() ? facts["compile_errors"] : facts["raised"];
    return {Outcome::kRejectedReferenceCall, "its own kernel failed and the framework answered instead: " + Names(operators), evidence};
  }
  if (!inside.empty()) {
    evidence["inside"] = inside;
    return {Outcome::kRejectedLibraryCall, "its native code only calls the framework: " + Names(inside), evidence};
  }
  if (kernels) {
    const bool launched = !Field(facts, "launches").empty();
    return {Outcome::kRejectedDecoyKernel, launched ? "its kernel ran, but nothing that it computed reaches the output; that came from " + Names(operators)
                                                    : "it defines a kernel and does not launch it; the output came from " + Names(operators), evidence};
  }
  if (SameOperators(operators, reference_operators)) return {Outcome::kRejectedReferenceCall, "it has no kernel and calls what the reference calls: " + Names(operators), evidence};
  return {Outcome::kRejectedLibraryCall, operators.empty() ? "it has no kernel of its own" : "it has no kernel; framework operators made the result: " + Names(operators), evidence};
}

}  // namespace

MaybeRuling RuleOnOwnWork(const Json& facts, const Json& reference_operators) {
  const Json& outputs = Field(facts, "outputs");
  const bool own = std::ranges::any_of(outputs, OwnOutput);
  const bool kernels = !Field(facts, "kernels").empty() || !Field(facts, "foreign").empty();
  if (own && kernels) return std::nullopt;
  return Without(facts, reference_operators);
}

Json OwnWorkSummary(const Json& facts) {
  Json summary = Json::object();
  for (const char* key : {"kernels", "foreign", "launches", "raised", "operators", "inside", "unseen", "outputs"}) {
    if (facts.contains(key)) summary[key] = facts[key];
  }
  const double own = facts.value("own_ns", 0.0), framework = facts.value("framework_ns", 0.0) + facts.value("inside_ns", 0.0);
  summary["coverage"] = own + framework > 0 ? Json(own / (own + framework)) : Json(nullptr);
  return summary;
}

}  // namespace kgym::judge
