#include "service/compat/evaluation.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "service/compat/fields.h"

namespace kgym::service::kernelgym {
namespace {

using Need = Fields::Need;

constexpr std::size_t kLongestId = 100, kShortestCode = 10, kLongestCode = 100'000;

std::size_t Characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

void CheckCode(Fields& fields, std::string_view name, const std::string& code) {
  if (Characters(Trim(code)) < kShortestCode) fields.Note(name, "Code must have at least 10 characters");
  if (Characters(code) > kLongestCode) fields.Note(name, "Code must have at most 100000 characters");
}

/// Bounds on numbers, which a workflow's payload does not have.
struct Bounds {
  std::int64_t least, most;
};
constexpr Bounds kNone = {1, 1'000'000};

struct AllBounds {
  Bounds correct = kNone, perf = kNone, warmup = {0, 1'000'000}, timeout = kNone;
};
constexpr AllBounds kEvaluate = {{1, 20}, {1, 1000}, {0, 100}, {10, 3600}};

void ReadNumbers(Fields& fields, const AllBounds& bounds, Evaluation& evaluation) {
  const auto read = [&](std::string_view name, std::int64_t otherwise, Bounds bound) {
    return fields.IntOr(name, otherwise, bound.least, bound.most);
  };
  evaluation.num_correct_trials = read("num_correct_trials", 5, bounds.correct);
  evaluation.num_perf_trials = read("num_perf_trials", 100, bounds.perf);
  evaluation.num_warmup = read("num_warmup", 3, bounds.warmup);
  evaluation.timeout_s = read("timeout", 300, bounds.timeout);
}

void ReadFlags(Fields& fields, Evaluation& evaluation) {
  const auto optional = [&](std::string_view name) { return fields.Bool(name, Need::kMayBeNull); };
  evaluation.force_refresh = fields.BoolOr("force_refresh", false);
  evaluation.use_reference_cache = fields.BoolOr("use_reference_cache", false);
  evaluation.is_valid = fields.BoolOr("is_valid", false);
  optional("verbose_errors");
  evaluation.profiling = optional("enable_profiling").value_or(true);
  evaluation.run_correctness = optional("run_correctness");
  // Of two names of one thing the first decides.
  const auto first = [&](std::string_view name, std::string_view other) {
    const std::optional<bool> decides = optional(name), falls_back = optional(other);
    return decides ? *decides : falls_back.value_or(true);
  };
  evaluation.detect_decoy = first("run_triton_detection", "enable_triton_detection");
  evaluation.run_performance = first("run_performance", "measure_performance");
}

void ReadResources(Fields& fields, Evaluation& evaluation) {
  const Json resources = fields.Structure("resources", {"object"});
  if (!resources.is_object() || !resources.contains("gpus")) return;
  const Json& gpus = resources["gpus"];
  evaluation.gpus = gpus.is_number_integer() ? gpus.get<std::int64_t>() : 0;
}

void ReadCommon(Fields& fields, const AllBounds& bounds, Evaluation& evaluation) {
  evaluation.kernel_code = fields.TextOr("kernel_code", "", Need::kRequired);
  evaluation.reference_code = fields.TextOr("reference_code", "", Need::kMayBeNull);
  evaluation.entry_point = fields.TextOr("entry_point", "Model", Need::kNotNull);
  evaluation.reference_backend = fields.TextOr("reference_backend", "", Need::kMayBeNull);
  evaluation.uuid = fields.TextOr("uuid", "", Need::kMayBeNull);
  evaluation.device_preference = fields.TextOr("device_preference", "", Need::kMayBeNull);
  evaluation.priority = fields.ChoiceOr("priority", "normal", {"low", "normal", "high"});
  evaluation.cases_code = fields.TextOr("cases_code", "", Need::kMayBeNull);
  evaluation.cases = fields.Structure("cases", {"array", "object"});
  ReadNumbers(fields, bounds, evaluation);
  ReadFlags(fields, evaluation);
  ReadResources(fields, evaluation);
}

bool IsIdentifier(std::string_view text) {
  const auto part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 && std::ranges::all_of(text, part);
}

bool HasClass(const std::string& code, const std::string& name) { return code.find("class " + name) != code.npos; }

}  // namespace

std::string_view Name(Workflow workflow) {
  return workflow == Workflow::kKernelBench ? "kernelbench" : "kernel_simple";
}

Result<Workflow> ParseWorkflow(std::optional<std::string> name) {
  std::string text(Trim(name ? std::string_view(*name) : "kernelbench"));
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  if (text.empty() || text == "kernelbench") return Workflow::kKernelBench;
  if (text == "kernel_simple") return Workflow::kKernelSimple;
  return Error{Concat("Registry missing workflow '", text, "'; kernelbench or kernel_simple is expected")};
}

Result<Evaluation> ReadEvaluation(const Json& body) {
  Fields fields(body);
  Evaluation evaluation;
  evaluation.task_id = fields.TextOr("task_id", "", Need::kRequired);
  if (const std::size_t length = Characters(evaluation.task_id); length < 1 || length > kLongestId)
    fields.Note("task_id", "String should have 1 to 100 characters");
  ReadCommon(fields, kEvaluate, evaluation);
  evaluation.backend = fields.ChoiceOr("backend", "triton", {"cuda", "triton", "cpp"});
  fields.ChoiceOr("toolkit", "kernelbench", {"kernelbench", "kernel_simple"});
  fields.ChoiceOr("backend_adapter", "kernelbench", {"kernelbench"});
  CheckCode(fields, "kernel_code", evaluation.kernel_code);

  const Result<Workflow> workflow = ParseWorkflow(fields.Text("workflow", Need::kMayBeNull));
  evaluation.workflow = workflow.ok() ? *workflow : Workflow::kKernelSimple;
  const bool needs_reference = workflow.ok() && *workflow == Workflow::kKernelBench;
  const bool has_reference = body.is_object() && body.contains("reference_code") && !body["reference_code"].is_null();
  if (has_reference) CheckCode(fields, "reference_code", evaluation.reference_code);
  if (needs_reference && !has_reference) fields.Note("reference_code", "Required for workflow kernelbench");
  if (!fields.ok()) return Error{fields.Faults()};
  return evaluation;
}

Result<Evaluation> ReadPayload(Workflow workflow, const std::string& task_id, const Json& payload) {
  Fields fields(payload, "payload");
  Evaluation evaluation;
  evaluation.task_id = task_id;
  evaluation.workflow = workflow;
  ReadCommon(fields, AllBounds{}, evaluation);
  const bool simple = workflow == Workflow::kKernelSimple;
  if (simple && payload.is_object() && !payload.contains("entry_point")) evaluation.entry_point = "ModelNew";
  evaluation.backend = fields.TextOr("backend", "triton", Need::kNotNull);
  if (!simple && evaluation.reference_code.empty()) fields.Note("reference_code", "Field required");
  if (!fields.ok()) return Error{fields.Faults()};
  return evaluation;
}

std::string Fault(const Evaluation& evaluation) {
  if (evaluation.gpus && *evaluation.gpus < 1) return "resources.gpus must be an integer of at least 1";
  if (!IsIdentifier(evaluation.entry_point))
    return Concat("entry_point '", TruncateUtf8(evaluation.entry_point, 40), "' is not the name of a class");
  const std::string kernel = KernelClass(evaluation);
  if (evaluation.workflow == Workflow::kKernelBench) {
    if (evaluation.use_reference_cache && evaluation.uuid.empty()) return "use_reference_cache needs a uuid";
    if (!HasClass(evaluation.reference_code, evaluation.entry_point))
      return Concat("Reference code validation failed: Code must contain a '", evaluation.entry_point, "' class");
  }
  if (!HasClass(evaluation.kernel_code, kernel))
    return Concat("Kernel code validation failed: Code must contain a '", kernel, "' class");
  return "";
}

std::string KernelClass(const Evaluation& evaluation) {
  if (evaluation.workflow == Workflow::kKernelBench) return evaluation.entry_point + "New";
  // kernel_simple names the kernel's class itself; "Model" is what stands there where nobody said anything.
  const std::string& code = evaluation.kernel_code;
  if (evaluation.entry_point != "Model") return evaluation.entry_point;
  return !HasClass(code, "ModelNew") && HasClass(code, "Model") ? "Model" : "ModelNew";
}

}  // namespace kgym::service::kernelgym
