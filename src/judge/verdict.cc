#include "judge/verdict.h"

#include "base/ids.h"
#include "base/text.h"

namespace kgym::judge {
namespace {

Json OrNull(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

}  // namespace

Verdict NewVerdict(const Problem& problem, const Submission& submission) {
  Verdict verdict;
  verdict.id = NewEvaluationId();
  verdict.problem = {
      {"name", problem.name}, {"workload", problem.workload}, {"sizes", problem.sizes}, {"hash", problem.Hash()}};
  verdict.submission = {{"name", submission.name},
                        {"backend", submission.backend},
                        {"entry", submission.entry},
                        {"hash", submission.Hash()}};
  return verdict;
}

Json Verdict::ToJson() const {
  Json json = {{"schema", kVerdictSchema},       {"id", id},
               {"outcome", ToString(outcome)},   {"reason", ToUtf8(reason)},
               {"next_step", NextStep(outcome)}, {"evidence", evidence}};
  json["speedup"] = OrNull(speedup);
  json["speedup_interval"] = speedup_interval ? Json{speedup_interval->low, speedup_interval->high} : Json(nullptr);
  json["reference_ms"] = OrNull(reference_ms);
  json["candidate_ms"] = OrNull(candidate_ms);
  json["compiled_reference_ms"] = OrNull(compiled_reference_ms);
  json["problem"] = problem;
  json["submission"] = submission;
  json["correctness"] = correctness;
  json["timing"] = timing;
  json["own_work"] = own_work;
  json["notes"] = notes;
  json["stages"] = stages;
  json["provenance"] = provenance;
  json["log"] = ToUtf8(log);
  return json;
}

}  // namespace kgym::judge
