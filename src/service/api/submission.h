// The body of a submission, of an evaluation or of a run of a workflow: its schema, and what becomes of it as a task.
//
// Threads: any; pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "judge/judge_config.h"
#include "service/api/catalogue.h"
#include "service/api/workflow_catalogue.h"
#include "service/queue/task.h"

namespace kgym::service {

inline constexpr int kMostInBatch = 1000;

/// Of POST /v1/evaluations, and of an item of a batch: one of the two below, which the document has by these names.
Json SubmissionSchema();
Json EvaluationSubmissionSchema();
Json WorkflowSubmissionSchema();

/// What a submission is read against.
struct Ground {
  const Catalogue& catalogue;
  const WorkflowCatalogue& workflows;
  const judge::JudgeConfig& config;  // The server's own; a submission's limits may be lower, not higher.
  std::string tenant;
  std::int64_t now_ms = 0;
};

/// `body` fits the schema. An error names the field, the value and what is expected.
Result<TaskSpec> ReadSubmission(const Json& body, const Ground& ground);

/// The server's configuration with a submission's changes laid over it.
Result<judge::JudgeConfig> ConfigWith(const judge::JudgeConfig& config, const Json& changes);

/// "low", "normal", "high".
std::string_view PriorityName(int priority);

}  // namespace kgym::service
