#include "service/api/evaluation_request.h"

#include "base/hash.h"
#include "base/text.h"

namespace kgym::service {

std::string PackRequest(const EvaluationRequest& request) {
  const judge::Problem& problem = request.problem;
  const judge::Submission& submission = request.submission;
  return DumpJson(
      {{"problem",
        {{"name", problem.name}, {"source", problem.source}, {"workload", problem.workload}, {"sizes", problem.sizes}}},
       {"submission",
        {{"name", submission.name},
         {"source", submission.source},
         {"backend", submission.backend},
         {"entry", submission.entry}}},
       {"config", request.config}});
}

Result<EvaluationRequest> UnpackRequest(const std::string& payload) {
  KGYM_TRY(const Json json, ParseJson(payload, "payload"));
  EvaluationRequest request;
  KGYM_TRY(const Json* problem, GetObject(json, "problem"));
  KGYM_TRY(request.problem.name, GetString(*problem, "name"));
  KGYM_TRY(request.problem.source, GetString(*problem, "source"));
  KGYM_TRY(request.problem.workload, GetString(*problem, "workload"));
  KGYM_TRY(const Json* sizes, GetObject(*problem, "sizes"));
  request.problem.sizes = *sizes;
  KGYM_TRY(const Json* submission, GetObject(json, "submission"));
  KGYM_TRY(request.submission.name, GetString(*submission, "name"));
  KGYM_TRY(request.submission.source, GetString(*submission, "source"));
  KGYM_TRY(request.submission.backend, GetString(*submission, "backend"));
  KGYM_TRY(request.submission.entry, GetString(*submission, "entry"));
  KGYM_TRY(const Json* config, GetObject(json, "config"));
  request.config = *config;
  return request;
}

std::string ContentKey(const EvaluationRequest& request) {
  Sha256 hash;
  hash.Field(request.problem.Hash()).Field(request.submission.Hash()).Field(DumpJson(request.config));
  return hash.FinishHex();
}

std::string AffinityOf(const judge::Problem& problem) {
  return Concat(TruncateUtf8(problem.name, 100), "@", problem.Hash().substr(0, 16));
}

std::string ProblemNameIn(const std::string& affinity) { return affinity.substr(0, affinity.rfind('@')); }

}  // namespace kgym::service
