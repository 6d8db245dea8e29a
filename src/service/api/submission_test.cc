#include "service/api/submission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/api/evaluation_request.h"
#include "service/http/schema.h"

namespace kgym::service {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class SubmissionTest : public testing::Test {
 protected:
  Json Body(const Json& more = Json::object()) const {
    Json body = {
        {"problem", {{"source", "class Model: pass"}}}, {"source", "class ModelNew: pass"}, {"backend", "cpp"}};
    body.update(more);
    return body;
  }
  Result<TaskSpec> Read(const Json& more = Json::object()) const {
    return ReadSubmission(Body(more), {catalogue_, workflows_, config_, "alice", 1000});
  }
  std::string Fault(const Json& more) const {
    const Result<TaskSpec> spec = Read(more);
    return spec.ok() ? "" : spec.error().message;
  }

  Catalogue catalogue_;
  WorkflowCatalogue workflows_;
  judge::JudgeConfig config_;
};

TEST_F(SubmissionTest, FitsItsOwnSchema) {
  const Json full = Body({{"id", "a.1"},
                          {"entry", "Mine"},
                          {"name", "n"},
                          {"workload", "gpu"},
                          {"sizes", {{"rows", 3}, {"causal", true}}},
                          {"config", {{"timing.budget", "2s"}}},
                          {"priority", "high"},
                          {"run", "r"},
                          {"labels", {{"card", "H100"}}},
                          {"deadline_s", 0.5},
                          {"max_attempts", 1},
                          {"dedup", false}});
  EXPECT_THAT(http::CheckSchema(full, EvaluationSubmissionSchema(), Json::object()), IsEmpty());
}

TEST_F(SubmissionTest, BecomesATask) {
  const TaskSpec spec =
      Read({{"id", "a"}, {"run", "r"}, {"priority", "low"}, {"deadline_s", 2}, {"dedup", false}}).value();
  EXPECT_EQ(spec.id, "a");
  EXPECT_EQ(spec.tenant, "alice");
  EXPECT_EQ(spec.run, "r");
  EXPECT_EQ(spec.priority, 0);
  EXPECT_EQ(spec.deadline_ms, 3000);
  EXPECT_FALSE(spec.dedup);
  EXPECT_EQ(ProblemNameIn(spec.affinity), "own");
  const EvaluationRequest request = UnpackRequest(spec.payload).value();
  EXPECT_EQ(request.problem.source, "class Model: pass");
  EXPECT_EQ(request.submission.entry, "ModelNew");
}

TEST_F(SubmissionTest, AnIdIsMadeUp) { EXPECT_NE(Read().value().id, Read().value().id); }

TEST_F(SubmissionTest, IdenticalWorkHasOneKey) {
  const std::string key = Read({{"id", "a"}}).value().content_key;
  EXPECT_EQ(Read({{"id", "b"}, {"priority", "high"}, {"run", "other"}}).value().content_key, key);
  EXPECT_NE(Read({{"entry", "Other"}}).value().content_key, key);
  EXPECT_NE(Read({{"sizes", {{"rows", 3}}}}).value().content_key, key);
  EXPECT_NE(Read({{"config", {{"timing.enabled", false}}}}).value().content_key, key);
}

TEST_F(SubmissionTest, ACardIsAskedForWhereTheBackendNeedsOne) {
  EXPECT_THAT(Read({{"backend", "cuda"}}).value().labels,
              UnorderedElementsAre(Pair("device", "cuda"), Pair("backend", "cuda")));
  EXPECT_THAT(Read({{"backend", "cuda"}, {"labels", {{"device", "other"}}}}).value().labels,
              UnorderedElementsAre(Pair("device", "other"), Pair("backend", "cuda")));
  EXPECT_THAT(Read().value().labels, UnorderedElementsAre(Pair("backend", "cpp")));
}

TEST_F(SubmissionTest, TheLaneMustHaveTheBackend) {
  EXPECT_EQ(Fault({{"labels", {{"backend", "cpp"}}}}), "");
  EXPECT_EQ(Fault({{"labels", {{"backend", "cuda"}}}}),
            "field 'labels.backend': 'cuda'; it is 'cpp', as field 'backend' says");
  EXPECT_THAT(Fault({{"labels", {{"workflow", "w"}}}}), HasSubstr("field 'labels.workflow': 'w'; it is for runs of"));
}

TEST_F(SubmissionTest, TheServerKeepsWhatIsItsOwn) {
  EXPECT_EQ(Fault({{"config", {{"judge.require_custom_kernel", false}}}}), "");
  EXPECT_EQ(Fault({{"config", {{"judge.allow_library", "blas"}, {"judge.min_coverage", 0.5}}}}), "");
  EXPECT_THAT(Fault({{"config", {{"judge.allow_library", "cudnn"}}}}), HasSubstr("judge.allow_library"));
  EXPECT_THAT(Fault({{"config", {{"judge.min_coverage", 1.5}}}}), HasSubstr("judge.min_coverage"));
  for (const char* key : {"judge.python", "judge.cache", "judge.inject", "judge.sandbox", "judge.device"}) {
    EXPECT_THAT(Fault({{"config", {{key, "x"}}}}), HasSubstr(key)) << key;
  }
  EXPECT_THAT(Fault({{"config", {{"judge", {{"python", "x"}}}}}}), HasSubstr("judge.python"));
}

TEST_F(SubmissionTest, LimitsMayBeLoweredOnly) {
  EXPECT_EQ(Fault({{"config", {{"limits.call", "1s"}, {"limits.memory", 512}}}}), "");
  EXPECT_THAT(Fault({{"config", {{"limits.call", "11s"}}}}), HasSubstr("'config.limits.call'"));
  EXPECT_THAT(Fault({{"config", {{"limits.memory", 8192}}}}), HasSubstr("'config.limits.memory'"));
  EXPECT_THAT(Fault({{"config", {{"limits", {{"tmp", 1024}}}}}}), HasSubstr("'config.limits.tmp'"));
}

TEST_F(SubmissionTest, NobodyHoldsALaneForHours) {
  EXPECT_EQ(Fault({{"config", {{"timing.budget", "60s"}}}}), "");
  EXPECT_THAT(Fault({{"config", {{"timing.budget", "61s"}}}}), HasSubstr("at most 60 s"));
  EXPECT_THAT(Fault({{"config", {{"timing.min_rounds", 1000}, {"timing.max_rounds", 1000}, {"timing.batch", "1s"}}}}),
              HasSubstr("at most 60 s"));
}

TEST_F(SubmissionTest, FaultsNameTheField) {
  EXPECT_THAT(Fault({{"problem", "level1/relu"}}), HasSubstr("field 'problem': no problem 'level1/relu'"));
  EXPECT_THAT(Fault({{"config", {{"timing.budet", "1s"}}}}), HasSubstr("did you mean 'timing.budget'?"));
  EXPECT_THAT(Fault({{"config", {{"timing.budget", 1}}}}), HasSubstr("a duration"));
}

TEST(EvaluationRequest, ComesBack) {
  EvaluationRequest request;
  request.problem = {.name = "p", .source = "ä\n", .workload = "gpu", .sizes = {{"n", 3}}};
  request.submission = {.name = "s", .source = "x", .backend = "triton", .entry = "E"};
  request.config = {{"timing", {{"enabled", false}}}};
  const EvaluationRequest back = UnpackRequest(PackRequest(request)).value();
  EXPECT_EQ(back.problem.Hash(), request.problem.Hash());
  EXPECT_EQ(back.submission.Hash(), request.submission.Hash());
  EXPECT_EQ(back.config, request.config);
  EXPECT_THAT(UnpackRequest("{}").error().message, HasSubstr("problem"));
}

}  // namespace
}  // namespace kgym::service
