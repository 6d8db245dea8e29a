// GET /v1/workflows, and what a run of one has that an evaluation has not: /v1/evaluations/{id}/artefacts/input and
// /v1/evaluations/{id}/steps/{step}/files/{name}.
#include "base/text.h"
#include "service/api/api.h"
#include "service/api/workflow_request.h"
#include "service/api/workflow_result.h"

namespace kgym::service {
namespace {

using http::Request;
using http::Response;
using http::ToResponse;

Awaitable<Response> List(Api& api, Request&) {
  const Json answer = {{"workflows", api.workflows.outlines()}};
  co_return http::JsonResponse(answer);
}

/// FindTask(), of a run of a workflow.
Awaitable<FoundTask> FindRun(Api& api, const Request& request) {
  FoundTask found = co_await FindTask(api, request);
  if (found.task && WorkflowOf(found.task->spec).empty()) {
    found.refused =
        ToResponse({404, "not-found", Concat("'", found.task->spec.id, "' is an evaluation, not a run of a workflow"),
                    "GET /v1/evaluations/{id} has links to what it has"},
                   request.target);
    found.task.reset();
  }
  co_return found;
}

Awaitable<Response> Input(Api& api, Request& request) {
  FoundTask found = co_await FindRun(api, request);
  if (found.refused) co_return *std::move(found.refused);
  const Result<WorkflowRequest> asked = UnpackWorkflow(found.task->spec.payload);
  if (!asked.ok()) co_return ToResponse({404, "not-found", asked.error().message}, request.target);
  co_return http::JsonResponse(asked->input);
}

Awaitable<Response> StepFile(Api& api, Request& request) {
  FoundTask found = co_await FindRun(api, request);
  if (found.refused) co_return *std::move(found.refused);
  if (!Ended(found.task->state))
    co_return ToResponse({409, "not-ended", Concat("'", found.task->spec.id, "' has not ended"),
                          "GET /v1/evaluations/{id}?wait=60 waits for it"},
                         request.target);
  const Result<Json> result = ParseJson(found.task->result, "result");
  const Result<std::string> bytes =
      FileOf(result.ok() ? *result : Json(), request.in_path.at("step"), request.in_path.at("name"));
  if (!bytes.ok()) co_return ToResponse({404, "not-found", bytes.error().message}, request.target);
  Response response;
  response.content_type = "application/octet-stream";
  response.body = *bytes;
  co_return response;
}

Json ListSchema() {
  return {{"type", "object"},
          {"required", {"workflows"}},
          {"properties",
           {{"workflows",
             {{"type", "array"},
              {"items",
               {{"type", "object"},
                {"required", {"name", "description", "input"}},
                {"properties",
                 {{"name", {{"type", "string"}}},
                  {"description", {{"type", "string"}}},
                  {"input",
                   {{"type", "object"},
                    {"description",
                     "Of each field its type, or {type, default}: int, float, str, bool, bytes, json, list[T], "
                     "dict[str, T], T | None."}}}}}}}}}}}};
}

}  // namespace

void AddWorkflowRoutes(http::Routes& routes, Api& api) {
  const Json segment = {{"type", "string"}, {"minLength", 1}, {"maxLength", 200}, {"pattern", "^[ -~]+$"}};
  routes.Add({.method = "GET",
              .path = "/v1/workflows",
              .id = "listWorkflows",
              .summary = "The workflows that a submission may name, and what they take.",
              .tag = "workflows",
              .answers = {{200, "All there are.", ListSchema()}},
              .handler = [&api](Request& request) { return List(api, request); }});
  routes.Add({.method = "GET",
              .path = "/v1/evaluations/{id}/artefacts/input",
              .id = "getInput",
              .summary = "What a run of a workflow was given, defaults among it.",
              .tag = "workflows",
              .in_path = {IdParameter()},
              .answers = {{200, "Its fields.", Json{{"type", "object"}}},
                          {404, "It is not known, not yours, or no run of a workflow."}},
              .handler = [&api](Request& request) { return Input(api, request); }});
  routes.Add({.method = "GET",
              .path = "/v1/evaluations/{id}/steps/{step}/files/{name}",
              .id = "getStepFile",
              .summary = Concat("A file that a step left. A run keeps ", FormatBytes(kMostKeptFileBytes), " of them."),
              .tag = "workflows",
              .in_path = {IdParameter(),
                          {"step", "The step's name.", segment},
                          {"name", "The file's, as `artefacts` of the report has it; a slash in it is %2F.", segment}},
              .answers = {{200, "Its bytes.", Json{{"type", "string"}}, "application/octet-stream"},
                          {404, "It is not known, not yours, was not left, or was not kept."},
                          {409, "The run has not ended."}},
              .handler = [&api](Request& request) { return StepFile(api, request); }});
}

}  // namespace kgym::service
