// From a KernelGYM evaluation to a task of ours.
//
// The task's payload is an EvaluationRequest as any other; beside it, under "kernelgym", is what the answer will need
// to say of the request. What kgym always does is not to be switched off: correctness is checked whatever
// run_correctness says, and times are taken until they are certain, whatever num_perf_trials says.
//
// Threads: any; pure.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "judge/judge_config.h"
#include "service/compat/evaluation.h"
#include "service/queue/task.h"

namespace kgym::service::kernelgym {

/// What a request is read against.
struct Ground {
  const judge::JudgeConfig& config;  // The server's own.
  std::string tenant;
  bool has_cards = false;  // Some lane is a GPU: what is written for one goes there.
};

/// An error where it cannot be a task; `evaluation` has no Fault().
Result<TaskSpec> ToSpec(const Evaluation& evaluation, const Ground& ground);

/// What the payload of a task of ours says of the request; an empty object where it is none.
Json RequestOf(const Task& task);

}  // namespace kgym::service::kernelgym
