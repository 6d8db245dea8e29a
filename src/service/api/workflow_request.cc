#include "service/api/workflow_request.h"

#include "base/hash.h"
#include "service/schedule/labels.h"

namespace kgym::service {

std::string PackWorkflow(const WorkflowRequest& request) {
  return DumpJson({{"workflow", request.workflow}, {"input", request.input}});
}

Result<WorkflowRequest> UnpackWorkflow(const std::string& payload) {
  KGYM_TRY(const Json json, ParseJson(payload, "payload"));
  WorkflowRequest request;
  KGYM_TRY(request.workflow, GetString(json, "workflow"));
  KGYM_TRY(const Json* input, GetObject(json, "input"));
  request.input = *input;
  return request;
}

std::string ContentKey(const WorkflowRequest& request) {
  Sha256 hash;
  hash.Field("workflow").Field(request.workflow).Field(DumpJson(request.input));
  return hash.FinishHex();
}

std::string WorkflowOf(const TaskSpec& spec) {
  const auto label = spec.labels.find(kWorkflowLabel);
  return label == spec.labels.end() ? "" : label->second;
}

}  // namespace kgym::service
