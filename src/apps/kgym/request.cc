#include "apps/kgym/request.h"

#include "apps/kgym/rows.h"
#include "apps/kgym/workflow_input.h"
#include "base/ids.h"
#include "base/text.h"

namespace kgym::app {
namespace {

constexpr std::size_t kLongestName = 200, kLongestProblem = 100;

Result<EvalOptions> AsEval(const SubmitOptions& options) {
  const bool builtin = options.suite == "builtin";
  if (!builtin && options.suite != "kernelbench")
    return Error{Concat("--suite '", options.suite, "'; builtin or kernelbench is expected")};
  EvalOptions eval;
  eval.backend = options.backend;
  eval.entry = options.entry;
  eval.source = {.suite = builtin ? judge::SuiteKind::kBuiltIn : judge::SuiteKind::kKernelBench,
                 .root = options.root,
                 .workload = options.workload,
                 .sizes = options.sizes,
                 .by_name = builtin && options.root.empty()};
  return eval;
}

/// {"timing.budget": "2s"} of "timing.budget=2s"; the server knows which keys there are.
Result<Json> ReadConfig(const std::vector<std::string>& assignments) {
  Json config = Json::object();
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == 0 || equals == std::string::npos)
      return Error{Concat("--set '", assignment, "'; KEY=VALUE is expected, such as timing.budget=2s")};
    const std::string text = assignment.substr(equals + 1);
    const Result<Json> value = ParseJson(text);
    config[assignment.substr(0, equals)] = value.ok() ? *value : Json(text);
  }
  return config;
}

Result<Json> ReadLabels(const std::vector<std::string>& assignments) {
  Json labels = Json::object();
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == assignment.size())
      return Error{Concat("--label '", assignment, "'; NAME=VALUE is expected, such as device=cuda")};
    labels[assignment.substr(0, equals)] = assignment.substr(equals + 1);
  }
  return labels;
}

/// What a server takes as a name: not empty, printable ASCII.
std::string NameFor(std::string_view name, std::size_t most) {
  std::string text(TruncateUtf8(name, most));
  for (char& c : text) c = c >= ' ' && c <= '~' ? c : '?';
  return text.empty() ? "own" : text;
}

/// What all of them have in common.
Result<Json> Shared(const SubmitOptions& options, const std::string& run) {
  Json body = Json::object();
  KGYM_TRY(const Json config, ReadConfig(options.set));
  KGYM_TRY(const Json labels, ReadLabels(options.labels));
  if (!config.empty()) body["config"] = config;
  if (!labels.empty()) body["labels"] = labels;
  if (!options.priority.empty()) body["priority"] = options.priority;
  if (!run.empty()) body["run"] = run;
  return body;
}

Json BodyOf(const Task& task, const std::string& id, Json body) {
  const judge::Problem& problem = task.problem;
  body["id"] = id;
  body["problem"] = problem.source.empty()
                        ? Json(problem.name)
                        : Json{{"source", problem.source}, {"name", NameFor(problem.name, kLongestProblem)}};
  body["source"] = task.submission.source;
  body["backend"] = task.submission.backend;
  body["entry"] = task.submission.entry;
  body["name"] = NameFor(task.submission.name, kLongestName);
  if (!problem.workload.empty()) body["workload"] = problem.workload;
  if (!problem.sizes.empty()) body["sizes"] = problem.sizes;
  return body;
}

Result<Requests> ReadOne(const SubmitOptions& options) {
  KGYM_TRY(const EvalOptions eval, AsEval(options));
  ProblemFinder finder(eval.source);
  Task task;
  KGYM_TRY(task.problem, finder.Find(options.problem));
  Result<judge::Submission> submission = ReadSubmission(options.submission, eval.backend, eval.entry);
  if (!submission.ok()) return Within("submission", submission.error());
  task.submission = *std::move(submission);
  KGYM_TRY(const Json shared, Shared(options, options.run));
  const std::string id = options.id.empty() ? NewEvaluationId() : options.id;
  Requests requests{{}, options.run};
  requests.all.push_back({options.submission, 1, id, BodyOf(task, id, shared), ""});
  return requests;
}

}  // namespace

Result<Requests> ReadRequests(const SubmitOptions& options) {
  if (options.problem.empty() || !options.input.empty() || !options.fields.empty())
    return Error{
        "submit: PROBLEM SUBMISSION, a folder, a .jsonl file, or --workflow NAME with its --input or --field is "
        "expected"};
  if (!options.submission.empty()) return ReadOne(options);
  if (!IsRows(options.problem))
    return Error{Concat("submit '", options.problem,
                        "': two arguments are expected, PROBLEM SUBMISSION; or one that is a folder or a .jsonl file")};
  KGYM_TRY(const EvalOptions eval, AsEval(options));
  KGYM_TRY(const std::vector<Row> rows, ReadRows(options.problem, eval));
  const std::string prefix = options.id.empty() ? NewEvaluationId() : options.id;
  Requests requests{{}, options.run.empty() ? prefix : options.run};
  KGYM_TRY(const Json shared, Shared(options, requests.run));
  for (const Row& row : rows) {
    Request request{row.id, row.number, Concat(prefix, "-", row.number), nullptr, ""};
    if (const auto* error = std::get_if<Error>(&row.content)) {
      request.error = error->message;
    } else {
      request.body = BodyOf(std::get<Task>(row.content), request.id, shared);
    }
    requests.all.push_back(std::move(request));
  }
  return requests;
}

Result<Requests> ReadWorkflowRequest(const SubmitOptions& options, const Json& offered) {
  if (!options.problem.empty() || !options.set.empty())
    return Error{Concat("--workflow: it goes with neither a problem nor --set; leave '",
                        options.problem.empty() ? options.set.front() : options.problem, "' out")};
  KGYM_TRY(const Json* workflows, GetArray(offered, "workflows"));
  std::vector<std::string> names;
  const Json* wanted = nullptr;
  for (const Json& one : *workflows) {
    KGYM_TRY(std::string name, GetString(one, "name"));
    if (name == options.workflow) wanted = &one;
    names.push_back(std::move(name));
  }
  if (wanted == nullptr)
    return Error{Concat("--workflow '", options.workflow, "': the server has none of this name",
                        DidYouMean(options.workflow, names), names.empty() ? "" : "; it has ", Join(names, ", "))};
  KGYM_TRY(const Json* types, GetObject(*wanted, "input"));
  KGYM_TRY(const judge::TypedFields fields, judge::ReadTypedFields(*types, "the server's workflow: input"));
  KGYM_TRY(Json body, Shared(options, options.run));
  KGYM_TRY(body["input"], ReadWorkflowInput(options.workflow, fields, options.input, options.fields));
  body["workflow"] = options.workflow;
  body["id"] = options.id.empty() ? NewEvaluationId() : options.id;
  Requests requests{{}, options.run};
  requests.all.push_back({options.workflow, 1, body["id"].get<std::string>(), body, ""});
  return requests;
}

}  // namespace kgym::app
