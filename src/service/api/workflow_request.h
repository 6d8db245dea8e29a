// What a task asks for that is a run of a workflow: its name and its whole input. It travels as the task's payload; the
// workflow itself is the lane's own, and the task's label asks for a lane that has it.
//
// Threads: any; plain values.
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "service/queue/task.h"

namespace kgym::service {

struct WorkflowRequest {
  std::string workflow;
  Json input = Json::object();  // Complete: defaults are in it.
};

std::string PackWorkflow(const WorkflowRequest& request);

/// An error names the field.
Result<WorkflowRequest> UnpackWorkflow(const std::string& payload);

/// Equal for requests that must come to the same end.
std::string ContentKey(const WorkflowRequest& request);

/// The workflow that the task is a run of; empty where it is an evaluation. Needs no payload.
std::string WorkflowOf(const TaskSpec& spec);

}  // namespace kgym::service
