#include "service/api/submission.h"

#include <algorithm>
#include <array>

#include "base/ids.h"
#include "base/text.h"
#include "service/api/evaluation_request.h"
#include "service/api/workflow_request.h"
#include "service/queue/request_check.h"
#include "service/schedule/labels.h"

namespace kgym::service {
namespace {

constexpr std::array<std::string_view, kPriorities> kPriorityNames = {"low", "normal", "high"};
constexpr int kMostAttempts = 10;
constexpr double kLongestDeadline = 30 * 86'400;
// What holds a lane is bounded, whoever asks: seconds, and rounds.
constexpr double kMostTimingSeconds = 60;
constexpr double kOtherSeconds = 1.5;  // What an evaluation takes beside its timing, roughly.

Json Text(const char* meaning, int least, int most, const char* pattern = nullptr) {
  Json schema = {{"type", "string"}, {"description", meaning}, {"minLength", least}, {"maxLength", most}};
  if (pattern != nullptr) schema["pattern"] = pattern;
  return schema;
}

constexpr const char* kPrintable = "^[ -~]+$";

Json SizesSchema() {
  return {{"type", "object"},
          {"description", "Globals of the problem to replace, beyond the workload's."},
          {"maxProperties", 64},
          {"additionalProperties", {{"type", {"number", "boolean"}}}}};
}

Json ProblemSchema() {
  Json own = {{"type", "object"},
              {"description", "A problem of your own, in KernelBench form."},
              {"required", {"source"}},
              {"additionalProperties", false},
              {"properties",
               {{"name", Text("For messages and lists.", 1, 100, kPrintable)},
                {"source", Text("Python: Model, get_inputs, get_init_inputs.", 1, 1 << 20)}}}};
  return {{"description", "A name of GET /v1/problems, or a problem of your own."},
          {"oneOf", {Text("A name of GET /v1/problems.", 1, 200), std::move(own)}}};
}

/// What every submission may say, whatever it is of.
Json SharedProperties() {
  return {
      {"id", Text("Yours: submitting it again is the same submission. One is made up where it is absent.", 1, 200,
                  "^[A-Za-z0-9][A-Za-z0-9._:-]*$")},
      {"priority", {{"type", "string"}, {"enum", {"low", "normal", "high"}}, {"default", "normal"}}},
      {"run", Text("What it belongs to; runs of one token share lanes fairly.", 1, 200, kPrintable)},
      {"labels",
       {{"type", "object"},
        {"description", "What a lane must have, such as {\"card\": \"H100\"}."},
        {"maxProperties", 16},
        {"propertyNames", Text("The label.", 1, 100, kPrintable)},
        {"additionalProperties", Text("The label's value.", 1, 100, kPrintable)}}},
      {"deadline_s",
       {{"type", "number"},
        {"description", "It is dead if it has not ended so many seconds from now."},
        {"minimum", 0.001},
        {"maximum", kLongestDeadline}}},
      {"max_attempts", {{"type", "integer"}, {"minimum", 1}, {"maximum", kMostAttempts}, {"default", 3}}},
      {"dedup",
       {{"type", "boolean"}, {"default", true}, {"description", "May take the result of identical work in flight."}}}};
}

/// Fields of `limits.` may be lowered, not raised: they protect the server.
Status CheckLimits(judge::JudgeConfig server, judge::JudgeConfig wanted) {
  ConfigFields allowed(server), asked(wanted);
  for (std::size_t i = 0; i < allowed.all().size(); ++i) {
    const ConfigField &most = allowed.all()[i], &value = asked.all()[i];
    if (!most.key.starts_with("limits.")) continue;
    const auto higher = [&](auto* mine) {
      using Target = std::remove_reference_t<decltype(mine)>;
      const auto* theirs = std::get_if<Target>(&value.target);
      return theirs != nullptr && **theirs > *mine;
    };
    const bool raised = (std::holds_alternative<Duration*>(most.target) && higher(std::get<Duration*>(most.target))) ||
                        (std::holds_alternative<int*>(most.target) && higher(std::get<int*>(most.target)));
    if (raised)
      return Error{Concat("field 'config.", most.key, "': a limit may be lowered here, not raised; ",
                          "the server's own is in GET /v1/config")};
  }
  return Ok();
}

// Of the judge's own keys, what is about whose work an answer must be.
constexpr std::array<std::string_view, 3> kOfSubmission = {"judge.require_custom_kernel", "judge.allow_library",
                                                           "judge.min_coverage"};

/// What a submission may not set: the judge's own keys, which are this server's, but for a few.
Status CheckKeys(const Json& changes, const std::string& prefix) {
  for (const auto& [key, value] : changes.items()) {
    const std::string whole = prefix + key;
    if (value.is_object()) {
      KGYM_TRY_VOID(CheckKeys(value, whole + "."));
    } else if (whole.starts_with("judge.") && std::ranges::find(kOfSubmission, whole) == kOfSubmission.end()) {
      return Error{Concat("field 'config.", whole, "': it is the server's own; of judge.* only require_custom_kernel, ",
                          "allow_library and min_coverage can be set by a submission")};
    }
  }
  return Ok();
}

Status CheckTiming(const judge::TimingConfig& timing) {
  const double least = 2 * timing.min_rounds * ToSeconds(timing.batch);
  const double longest = std::max(ToSeconds(timing.budget), least);
  if (longest <= kMostTimingSeconds) return Ok();
  return Error{Concat("field 'config.timing': timing.budget, or 2 x timing.min_rounds x timing.batch, is ", longest,
                      " s; at most ", kMostTimingSeconds, " s is expected")};
}

Result<judge::Problem> ProblemOf(const Json& body, const Catalogue& catalogue) {
  judge::Problem problem;
  if (const Json& wanted = body["problem"]; wanted.is_string()) {
    Result<judge::Problem> found = catalogue.Find(wanted.get<std::string>());
    if (!found.ok()) return Within("field 'problem'", found.error());
    problem = *std::move(found);
  } else {
    problem.source = wanted["source"].get<std::string>();
    problem.name = wanted.value("name", "own");
  }
  problem.path.clear();
  problem.workload = body.value("workload", "");
  problem.sizes = body.value("sizes", Json::object());
  return problem;
}

/// What the lane must have: what is asked for, and the value that field `name` says.
Result<Labels> LabelsWith(const Json& body, const std::string& name, const std::string& value) {
  Labels labels;
  const Json wanted = body.value("labels", Json::object());
  for (const auto& [label, said] : wanted.items()) labels[label] = said.get<std::string>();
  if (const std::string& said = labels.emplace(name, value).first->second; said != value)
    return Error{Concat("field 'labels.", name, "': '", said, "'; it is '", value, "', as field '", name, "' says")};
  return labels;
}

/// And what the backend needs.
Result<Labels> LabelsOf(const Json& body, const std::string& backend) {
  KGYM_TRY(Labels labels, LabelsWith(body, kBackendLabel, backend));
  if (const auto workflow = labels.find(kWorkflowLabel); workflow != labels.end())
    return Error{Concat("field 'labels.workflow': '", workflow->second, "'; it is for runs of workflows, which field ",
                        "'workflow' submits in place of 'problem', 'source' and 'backend'")};
  const bool needs_card = backend == "cuda" || backend == "cupy" || backend == "tilelang" || backend == "cutlass";
  if (needs_card) labels.emplace("device", "cuda");
  return labels;
}

}  // namespace

std::string_view PriorityName(int priority) { return kPriorityNames[static_cast<std::size_t>(priority)]; }

Json SubmissionSchema() {
  return {{"description", "An evaluation, or a run of a workflow: what has a field `workflow`."},
          {"oneOf",
           {{{"$ref", "#/components/schemas/EvaluationSubmission"}},
            {{"$ref", "#/components/schemas/WorkflowSubmission"}}}}};
}

Json EvaluationSubmissionSchema() {
  Json properties = {{"problem", ProblemSchema()},
                     {"source", Text("The submission: Python that defines the entry.", 1, 1 << 20)},
                     {"backend", Text("What it is written in: cpp, triton, cuda, ...", 1, 40, "^[a-z][a-z0-9_]*$")},
                     {"entry", Text("The class to judge.", 1, 200, "^[A-Za-z_][A-Za-z0-9_]*$")},
                     {"name", Text("For messages and lists.", 1, 200)},
                     {"workload", Text("Scale of the problem; absent: the one that suits the lane.", 1, 100)},
                     {"sizes", SizesSchema()},
                     {"config",
                      {{"type", "object"},
                       {"description", "Keys of `kgym config`, dotted or nested, such as {\"timing.budget\": \"2s\"}."},
                       {"maxProperties", 64}}}};
  properties.update(SharedProperties());
  return {{"type", "object"},
          {"required", {"problem", "source", "backend"}},
          {"additionalProperties", false},
          {"properties", std::move(properties)}};
}

Json WorkflowSubmissionSchema() {
  Json properties = {{"workflow", Text("A name of GET /v1/workflows.", 1, 40, "^[a-z][a-z0-9_]*$")},
                     {"input",
                      {{"type", "object"},
                       {"description", "The workflow's fields, of the types that GET /v1/workflows tells."},
                       {"default", Json::object()}}}};
  properties.update(SharedProperties());
  return {{"type", "object"},
          {"required", {"workflow"}},
          {"additionalProperties", false},
          {"properties", std::move(properties)}};
}

Result<judge::JudgeConfig> ConfigWith(const judge::JudgeConfig& config, const Json& changes) {
  judge::JudgeConfig changed = config;
  if (changes.empty()) return changed;
  ConfigFields fields(changed);
  KGYM_TRY_VOID(fields.ParseYaml(DumpJson(changes), "field 'config'"));  // JSON is YAML.
  if (const std::string fault = changed.Fault(); !fault.empty()) return Error{"field 'config': " + fault};
  return changed;
}

namespace {

/// Who asks, how urgently, and how often it may be tried.
TaskSpec SharedSpec(const Json& body, const Ground& ground) {
  TaskSpec spec;
  spec.id = body.value("id", "");
  if (spec.id.empty()) spec.id = NewEvaluationId();
  spec.tenant = ground.tenant;
  spec.run = body.value("run", "");
  const auto priority = std::ranges::find(kPriorityNames, body.value("priority", "normal"));
  spec.priority = static_cast<int>(priority - kPriorityNames.begin());
  const double deadline = body.value("deadline_s", 0.0);
  if (deadline > 0) spec.deadline_ms = ground.now_ms + static_cast<std::int64_t>(deadline * 1000);
  spec.max_attempts = static_cast<int>(body.value("max_attempts", 3.0));
  spec.dedup = body.value("dedup", true);
  return spec;
}

Result<TaskSpec> ReadEvaluation(const Json& body, const Ground& ground) {
  EvaluationRequest request;
  KGYM_TRY(request.problem, ProblemOf(body, ground.catalogue));
  request.submission.source = body["source"].get<std::string>();
  request.submission.backend = body["backend"].get<std::string>();
  request.submission.entry = body.value("entry", "ModelNew");
  request.submission.name = body.value("name", body.value("id", "submission"));
  request.config = body.value("config", Json::object());
  KGYM_TRY_VOID(CheckKeys(request.config, ""));
  KGYM_TRY(const judge::JudgeConfig config, ConfigWith(ground.config, request.config));
  KGYM_TRY_VOID(CheckLimits(ground.config.Completed(), config.Completed()));
  KGYM_TRY_VOID(CheckTiming(config.timing));

  TaskSpec spec = SharedSpec(body, ground);
  spec.content_key = ContentKey(request);
  KGYM_TRY(spec.labels, LabelsOf(body, request.submission.backend));
  spec.affinity = AffinityOf(request.problem);
  spec.expected_hold_s = kOtherSeconds + (config.timing.enabled ? ToSeconds(config.timing.budget) : 0);
  spec.payload = PackRequest(request);
  return spec;
}

/// How long it will hold a lane nobody knows: it differs from one workflow to another by far.
Result<TaskSpec> ReadWorkflowRun(const Json& body, const Ground& ground) {
  WorkflowRequest request{body["workflow"].get<std::string>()};
  const Result<const judge::Workflow*> workflow = ground.workflows.Find(request.workflow);
  if (!workflow.ok()) return Within("field 'workflow'", workflow.error());
  KGYM_TRY(request.input, judge::Complete((*workflow)->input, body.value("input", Json::object()), "field 'input'"));

  TaskSpec spec = SharedSpec(body, ground);
  spec.content_key = ContentKey(request);
  KGYM_TRY(spec.labels, LabelsWith(body, kWorkflowLabel, request.workflow));
  spec.payload = PackWorkflow(request);
  return spec;
}

}  // namespace

Result<TaskSpec> ReadSubmission(const Json& body, const Ground& ground) {
  KGYM_TRY(TaskSpec spec, body.contains("workflow") ? ReadWorkflowRun(body, ground) : ReadEvaluation(body, ground));
  KGYM_TRY_VOID(CheckSpec(spec));
  return spec;
}

}  // namespace kgym::service
