#include "judge/workflow/workflow.h"

#include <algorithm>
#include <array>
#include <functional>

#include "base/text.h"

namespace kgym::judge {
namespace {

constexpr std::size_t kMostSteps = 32;

struct Sign {
  std::string_view text;
  Condition::Comparison comparison;
};

// Those of two characters first: "<" begins "<=".
constexpr std::array<Sign, 6> kSigns = {{{"==", Condition::Comparison::kEqual},
                                         {"!=", Condition::Comparison::kUnequal},
                                         {"<=", Condition::Comparison::kAtMost},
                                         {">=", Condition::Comparison::kAtLeast},
                                         {"<", Condition::Comparison::kLess},
                                         {">", Condition::Comparison::kMore}}};

constexpr const char* kReferences =
    "${input.FIELD}, ${steps.NAME.output.FIELD}, ${steps.NAME.wall_ms} or ${steps.NAME.cpu_ms} is expected";

Signature MakeEvaluateSignature() {
  return {kEvaluateStep, "The judge's own evaluation of a submission against a problem.",
          ReadTypedFields({{"problem", {{"type", "str"}, {"default", ""}}},
                           {"source", "str"},
                           {"backend", {{"type", "str"}, {"default", "cpp"}}},
                           {"entry", {{"type", "str"}, {"default", "ModelNew"}}},
                           {"problem_source", {{"type", "str | None"}, {"default", nullptr}}},
                           {"workload", {{"type", "str | None"}, {"default", nullptr}}},
                           {"sizes", {{"type", "dict[str, json]"}, {"default", Json::object()}}}},
                          kEvaluateStep)
              .value(),
          ReadTypedFields({{"ok", "bool"},
                           {"outcome", "str"},
                           {"reason", "str"},
                           {"speedup", "float | None"},
                           {"reference_ms", "float | None"},
                           {"candidate_ms", "float | None"},
                           {"verdict", "json"}},
                          kEvaluateStep)
              .value()};
}

Result<Reference> ReadReference(std::string_view text, const std::string& where) {
  const Error fault{Concat(where, ": '", text, "'; ", kReferences)};
  if (!text.starts_with("${") || !text.ends_with("}")) return fault;
  const std::vector<std::string> words = Split(text.substr(2, text.size() - 3), '.');
  if (words.size() == 2 && words[0] == "input") return Reference{Reference::Of::kInput, "", words[1]};
  if (words.size() == 4 && words[0] == "steps" && words[2] == "output")
    return Reference{Reference::Of::kOutput, words[1], words[3]};
  if (words.size() == 3 && words[0] == "steps" && words[2] == "wall_ms")
    return Reference{Reference::Of::kWallMs, words[1], ""};
  if (words.size() == 3 && words[0] == "steps" && words[2] == "cpu_ms")
    return Reference{Reference::Of::kCpuMs, words[1], ""};
  return fault;
}

/// A whole text that is one reference, or a constant.
Result<Binding> ReadBinding(const Json& value, const std::string& where) {
  if (!value.is_string() || value.get_ref<const std::string&>().find("${") == std::string::npos) return Binding(value);
  const auto& text = value.get_ref<const std::string&>();
  // A constant of many lines, such as a program, may hold anything.
  if (text.find('\n') != std::string::npos) return Binding(value);
  KGYM_TRY(Reference reference, ReadReference(text, where));
  return Binding(std::move(reference));
}

Result<Bindings> ReadBindings(const Json& map, const std::string& where) {
  Bindings bindings;
  if (map.is_null()) return bindings;
  if (!map.is_object()) return Error{where + ": a map of fields to values is expected"};
  for (const auto& [name, value] : map.items()) {
    KGYM_TRY(Binding binding, ReadBinding(value, Concat(where, ".", name)));
    bindings.emplace_back(name, std::move(binding));
  }
  return bindings;
}

Result<Condition> ReadCondition(const Json& said, const std::string& where) {
  if (!said.is_string())
    return Error{where + ": ${...}, `not ${...}` or a comparison such as `${...} < 1` is expected"};
  Condition condition;
  condition.text = said.get<std::string>();
  std::string_view text = Trim(condition.text);
  if (text.starts_with("not ")) {
    condition.right = false;
    text = Trim(text.substr(4));
  }
  const std::size_t end = text.find('}');
  KGYM_TRY(condition.left, ReadReference(text.substr(0, end == std::string_view::npos ? end : end + 1), where));
  text = Trim(text.substr(end + 1));
  if (text.empty()) return condition;
  const auto* sign = std::ranges::find_if(kSigns, [&](const Sign& one) { return text.starts_with(one.text); });
  if (sign == kSigns.end() || condition.right == false)
    return Error{Concat(where, ": '", text, "' found; one of == != < <= > >= is expected there, and no `not`")};
  condition.comparison = sign->comparison;
  const Result<Json> right = ParseJson(Trim(text.substr(sign->text.size())), where);
  const bool plain = right.ok() && (right->is_number() || right->is_boolean() || right->is_string());
  if (!plain)
    return Error{Concat(where, ": '", Trim(text.substr(sign->text.size())),
                        "' found; a number, true, false or a text in double quotes is expected")};
  condition.right = *right;
  return condition;
}

Status OnlyKeys(const Json& map, const std::vector<std::string>& known, const std::string& where) {
  for (const auto& [key, value] : map.items()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    return Error{Concat(where, ": unknown key '", key, "'", DidYouMean(key, known), "; known: ", Join(known, ", "))};
  }
  return Ok();
}

Result<std::string> ReadName(const Json& map, std::string_view key, const std::string& where) {
  Result<std::string> name = GetString(map, key);
  if (!name.ok()) return Within(where, name.error());
  if (!IsPlainName(*name))
    return Error{Concat(where, ": ", key, ": '", *name, "'; small letters, digits and underscores are expected")};
  return name;
}

Result<Step> ReadStep(const Json& json, const std::string& where) {
  if (!json.is_object()) return Error{where + ": a map with name, toolkit and input is expected"};
  Step step;
  KGYM_TRY(step.name, ReadName(json, "name", where));
  const std::string named = Concat(where, " (", step.name, ")");
  KGYM_TRY_VOID(OnlyKeys(json, {"name", "toolkit", "input", "when", "limit", "measure"}, named));
  KGYM_TRY(step.toolkit, ReadName(json, "toolkit", named));
  KGYM_TRY(step.input, ReadBindings(json.value("input", Json()), named + ".input"));
  if (json.contains("when")) {
    KGYM_TRY(step.when, ReadCondition(json["when"], named + ".when"));
  }
  if (json.contains("limit")) {
    const Result<Duration> limit = ParseDuration(json["limit"].is_string() ? json["limit"].get<std::string>() : "");
    if (!limit.ok() || *limit <= Duration(0))
      return Error{Concat(named, ".limit: ", DumpJson(json["limit"]), " found; a duration such as 20s is expected")};
    step.limit = *limit;
  }
  const Result<bool> measure = GetBoolOr(json, "measure", false);
  if (!measure.ok()) return Within(named, measure.error());
  step.measure = *measure;
  return step;
}

/// Knows what each reference of a workflow is.
class Checker {
 public:
  Checker(Workflow& workflow, const std::string& where, const std::vector<Signature>& signatures)
      : workflow_(workflow), where_(where), signatures_(signatures) {}

  Status Check() {
    for (Step& step : workflow_.steps) KGYM_TRY_VOID(CheckStep(step));
    for (const auto& [name, binding] : workflow_.output) {
      if (const auto* reference = std::get_if<Reference>(&binding))
        KGYM_TRY_VOID(TypeOf(*reference, Concat(where_, ": output.", name)));
    }
    return CheckOrder();
  }

 private:
  Result<ValueType> TypeOf(const Reference& reference, const std::string& place) const {
    if (reference.of == Reference::Of::kInput) return FieldType(workflow_.input, reference, place);
    const Step* step = Find(reference.step);
    if (step == nullptr) {
      std::vector<std::string> names;
      for (const Step& one : workflow_.steps) names.push_back(one.name);
      return Error{Concat(place, ": ", reference.text(), ": no step '", reference.step, "'",
                          DidYouMean(reference.step, names), "; there are ", Join(names, ", "))};
    }
    if (reference.of != Reference::Of::kOutput) return ValueType::Parse("float");
    KGYM_TRY(const Signature* signature, SignatureOf(*step));
    return FieldType(signature->output, reference, place);
  }

  static Result<ValueType> FieldType(const TypedFields& fields, const Reference& reference, const std::string& place) {
    if (const TypedField* field = FindField(fields, reference.field)) return field->type;
    std::vector<std::string> names;
    for (const TypedField& field : fields) names.push_back(field.name);
    return Error{Concat(place, ": ", reference.text(), ": no field '", reference.field, "'",
                        DidYouMean(reference.field, names), "; there are ", Join(names, ", "))};
  }

  Result<const Signature*> SignatureOf(const Step& step) const {
    if (step.toolkit == kEvaluateStep) return &EvaluateSignature();
    const auto found = std::ranges::find(signatures_, step.toolkit, &Signature::name);
    if (found != signatures_.end()) return &*found;
    std::vector<std::string> names = {kEvaluateStep};
    for (const Signature& one : signatures_) names.push_back(one.name);
    return Error{Concat(where_, ": step '", step.name, "': no toolkit '", step.toolkit, "'",
                        DidYouMean(step.toolkit, names), "; there are ", Join(names, ", "))};
  }

  Status CheckStep(Step& step) {
    KGYM_TRY(const Signature* signature, SignatureOf(step));
    const std::string place = Concat(where_, ": step '", step.name, "'");
    for (const auto& [name, binding] : step.input) KGYM_TRY_VOID(CheckField(*signature, name, binding, place));
    for (const TypedField& field : signature->input) {
      const bool bound = std::ranges::find(step.input, field.name, &Bindings::value_type::first) != step.input.end();
      if (!bound && !field.otherwise)
        return Error{Concat(place, ": input '", field.name, "' of toolkit '", step.toolkit, "' is missing; ",
                            field.type.text(), " is expected")};
    }
    if (step.when) KGYM_TRY_VOID(CheckCondition(*step.when, place + ".when"));
    NoteNeeds(step);
    return Ok();
  }

  Status CheckField(const Signature& signature, const std::string& name, const Binding& binding,
                    const std::string& place) const {
    const TypedField* field = FindField(signature.input, name);
    if (field == nullptr) {
      std::vector<std::string> names;
      for (const TypedField& one : signature.input) names.push_back(one.name);
      return Error{Concat(place, ": toolkit '", signature.name, "' has no input '", name, "'", DidYouMean(name, names),
                          "; it has ", Join(names, ", "))};
    }
    const std::string there = Concat(place, ": input '", name, "'");
    const auto* reference = std::get_if<Reference>(&binding);
    if (reference == nullptr) return field->type.Check(std::get<Json>(binding), there);
    KGYM_TRY(const ValueType given, TypeOf(*reference, there));
    if (field->type.Takes(given)) return Ok();
    return Error{
        Concat(there, ": ", reference->text(), " is ", given.text(), "; ", field->type.text(), " is expected")};
  }

  Status CheckCondition(const Condition& condition, const std::string& place) const {
    KGYM_TRY(const ValueType left, TypeOf(condition.left, place));
    const Json& right = condition.right;
    const bool ordered = condition.comparison != Condition::Comparison::kEqual &&
                         condition.comparison != Condition::Comparison::kUnequal;
    const bool fits = (left.is_number() && right.is_number()) || (!ordered && left.is_bool() && right.is_boolean()) ||
                      (!ordered && left.is_text() && right.is_string());
    if (fits) return Ok();
    return Error{Concat(place, ": '", condition.text, "': ", condition.left.text(), " is ", left.text(), ", which ",
                        DumpJson(right), " cannot be compared with so")};
  }

  void NoteNeeds(Step& step) const {
    const auto note = [&](const Reference& reference) {
      if (reference.of == Reference::Of::kInput) return;
      const auto place = static_cast<std::size_t>(Find(reference.step) - workflow_.steps.data());
      if (std::ranges::find(step.needs, place) == step.needs.end()) step.needs.push_back(place);
    };
    for (const auto& [name, binding] : step.input) {
      if (const auto* reference = std::get_if<Reference>(&binding)) note(*reference);
    }
    if (step.when) note(step.when->left);
    std::ranges::sort(step.needs);
  }

  const Step* Find(std::string_view name) const {
    const auto found = std::ranges::find(workflow_.steps, name, &Step::name);
    return found == workflow_.steps.end() ? nullptr : &*found;
  }

  /// Takes away steps that need nothing that is left; what cannot be taken away is a circle, or behind one.
  Status CheckOrder() const {
    std::vector<bool> gone(workflow_.steps.size(), false);
    const auto ready = [&](const Step& step) {
      return std::ranges::all_of(step.needs, [&](std::size_t need) { return gone[need]; });
    };
    for (std::size_t round = 0; round < gone.size(); ++round) {
      for (std::size_t i = 0; i < gone.size(); ++i) gone[i] = gone[i] || ready(workflow_.steps[i]);
    }
    std::vector<std::string> circle;
    for (std::size_t i = 0; i < gone.size(); ++i) {
      if (!gone[i]) circle.push_back(workflow_.steps[i].name);
    }
    if (circle.empty()) return Ok();
    return Error{
        Concat(where_, ": steps ", Join(circle, ", "), " wait for each other; a graph without circles is expected")};
  }

  Workflow& workflow_;
  const std::string& where_;
  const std::vector<Signature>& signatures_;
};

}  // namespace

const Signature& EvaluateSignature() {
  static const Signature signature = MakeEvaluateSignature();
  return signature;
}

std::string Reference::text() const {
  switch (of) {
    case Of::kInput:
      return Concat("${input.", field, "}");
    case Of::kOutput:
      return Concat("${steps.", step, ".output.", field, "}");
    case Of::kWallMs:
      return Concat("${steps.", step, ".wall_ms}");
    case Of::kCpuMs:
      return Concat("${steps.", step, ".cpu_ms}");
  }
  return "";
}

bool Condition::Holds(const Json& value) const {
  switch (comparison) {
    case Comparison::kEqual:
      return value == right;
    case Comparison::kUnequal:
      return value != right;
    case Comparison::kLess:
      return value < right;
    case Comparison::kAtMost:
      return value <= right;
    case Comparison::kMore:
      return value > right;
    case Comparison::kAtLeast:
      return value >= right;
  }
  return false;
}

Result<Workflow> ReadWorkflowHead(const Json& json, const std::string& where) {
  if (!json.is_object()) return Error{where + ": a map with name, input, steps and output is expected"};
  KGYM_TRY_VOID(OnlyKeys(json, {"name", "description", "input", "steps", "output"}, where));
  Workflow workflow;
  KGYM_TRY(workflow.name, ReadName(json, "name", where));
  const Result<std::string> description = GetStringOr(json, "description", "");
  if (!description.ok()) return Within(where, description.error());
  workflow.description = *description;
  KGYM_TRY(workflow.input, ReadTypedFields(json.value("input", Json()), where + ": input"));
  return workflow;
}

Result<Workflow> ReadWorkflow(const Json& json, const std::string& where, const std::vector<Signature>& signatures) {
  KGYM_TRY(Workflow workflow, ReadWorkflowHead(json, where));
  const Json steps = json.value("steps", Json());
  if (!steps.is_array() || steps.empty() || steps.size() > kMostSteps)
    return Error{Concat(where, ": steps: a list of 1 to ", kMostSteps, " steps is expected")};
  for (const Json& one : steps) {
    KGYM_TRY(Step step, ReadStep(one, Concat(where, ": steps[", workflow.steps.size(), "]")));
    if (std::ranges::find(workflow.steps, step.name, &Step::name) != workflow.steps.end())
      return Error{Concat(where, ": two steps are named '", step.name, "'; names of their own are expected")};
    workflow.steps.push_back(std::move(step));
  }
  KGYM_TRY(workflow.output, ReadBindings(json.value("output", Json()), where + ": output"));
  KGYM_TRY_VOID(Checker(workflow, where, signatures).Check());
  return workflow;
}

}  // namespace kgym::judge
