// What a task of ours asks for: one submission against one problem, whole, so that any worker can judge it without this
// machine's files. It travels as the task's payload.
//
// Threads: any; plain values.
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "judge/problem.h"

namespace kgym::service {

struct EvaluationRequest {
  judge::Problem problem;  // An empty workload stands for the one that suits the lane.
  judge::Submission submission;
  Json config = Json::object();  // What it has otherwise than the judge; nested, or by dotted keys.
};

std::string PackRequest(const EvaluationRequest& request);

/// An error names the field.
Result<EvaluationRequest> UnpackRequest(const std::string& payload);

/// Equal for requests that must come to the same verdict.
std::string ContentKey(const EvaluationRequest& request);

/// "level1/softmax@1f0c...": a problem at a scale, readable. A lane that is warm for it has its reference host open.
std::string AffinityOf(const judge::Problem& problem);

/// The problem's name in such a key.
std::string ProblemNameIn(const std::string& affinity);

}  // namespace kgym::service
