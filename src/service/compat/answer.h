// From a task of ours to what KernelGYM answers: its EvaluationResponse, WorkflowResponse, TaskStatusResponse, field
// for field. All keys are there, null where nothing is known; a runtime that was not measured is -1.0, a speedup then
// 0.0.
//
// What a submission does to be judged faster than it is (`rejected:*`) comes as a decoy, which costs a client's reward
// what it should; our own faults are failures with SYSTEM_ERROR.
//
// Threads: any; but for the reference times, pure.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "service/compat/evaluation.h"
#include "service/compat/reference_times.h"
#include "service/queue/task.h"

namespace kgym::service::kernelgym {

/// "pending", "processing", "completed", "failed".
std::string StatusOf(const Task& task);

/// `id`: the client's. `task` has ended, with payload and result.
Json EvaluationResponse(const Task& task, const std::string& id, ReferenceTimes& times);

/// Of a request that came to nothing before it was a task.
Json FailedResponse(const std::string& id, const std::string& error_code, const std::string& message);

/// `response` as POST /workflow/submit gives it.
Json WorkflowResponse(const Json& response);

/// Of GET /status. `response`: where it has ended.
Json StatusResponse(const Task& task, const std::string& id, const std::optional<Json>& response,
                    std::optional<std::int64_t> position);

/// Our own fault, so that asking again must run it again.
bool IsInfra(const Task& task);

}  // namespace kgym::service::kernelgym
