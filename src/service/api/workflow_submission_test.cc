// Runs of workflows as submissions: what is taken, what is refused and how, and what a run leaves as a result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/yaml_json.h"
#include "service/api/evaluation_json.h"
#include "service/api/submission.h"
#include "service/api/workflow_request.h"
#include "service/api/workflow_result.h"
#include "service/http/schema.h"

namespace kgym::service {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* kYaml = R"(
name: nbody
description: Bodies.
input: {seed: int, dt: {type: float, default: 0.5}, label: str | None}
steps: only a lane reads them
)";

judge::Extensions::File FileWith(const std::string& yaml) {
  return {"nbody", "nbody.yaml", yaml, *YamlToJson(yaml, "nbody.yaml")};
}

class WorkflowSubmissionTest : public testing::Test {
 protected:
  Result<TaskSpec> Read(const Json& body) const {
    return ReadSubmission(body, {catalogue_, workflows_, config_, "alice", 1000});
  }
  std::string Fault(const Json& body) const {
    const Result<TaskSpec> spec = Read(body);
    return spec.ok() ? "" : spec.error().message;
  }
  static Json Body(Json input, const Json& more = Json::object()) {
    Json body = {{"workflow", "nbody"}, {"input", std::move(input)}};
    body.update(more);
    return body;
  }
  static std::vector<http::Misfit> Misfits(const Json& body) {
    const Json components = {{"EvaluationSubmission", EvaluationSubmissionSchema()},
                             {"WorkflowSubmission", WorkflowSubmissionSchema()}};
    return http::CheckSchema(body, SubmissionSchema(), components);
  }

  Catalogue catalogue_;
  WorkflowCatalogue workflows_ = *WorkflowCatalogue::Of({FileWith(kYaml)});
  judge::JudgeConfig config_;
};

TEST_F(WorkflowSubmissionTest, BecomesATaskWithItsDefaults) {
  const TaskSpec spec =
      Read(Body({{"seed", 3}, {"label", nullptr}}, {{"id", "a"}, {"run", "r"}, {"priority", "high"}})).value();
  EXPECT_EQ(spec.id, "a");
  EXPECT_EQ(spec.tenant, "alice");
  EXPECT_EQ(spec.priority, 2);
  EXPECT_EQ(WorkflowOf(spec), "nbody");
  EXPECT_EQ(spec.affinity, "");
  const WorkflowRequest request = UnpackWorkflow(spec.payload).value();
  EXPECT_EQ(request.workflow, "nbody");
  EXPECT_EQ(request.input, (Json{{"seed", 3}, {"dt", 0.5}, {"label", nullptr}}));
}

TEST_F(WorkflowSubmissionTest, IdenticalWorkHasOneKey) {
  const std::string key = Read(Body({{"seed", 3}, {"label", "x"}})).value().content_key;
  EXPECT_EQ(Read(Body({{"label", "x"}, {"dt", 0.5}, {"seed", 3}}, {{"run", "r"}})).value().content_key, key);
  EXPECT_NE(Read(Body({{"seed", 4}, {"label", "x"}})).value().content_key, key);
}

TEST_F(WorkflowSubmissionTest, TheLaneMustHaveTheWorkflow) {
  const Json input = {{"seed", 3}, {"label", "x"}};
  EXPECT_THAT(Read(Body(input, {{"labels", {{"device", "cuda"}}}})).value().labels,
              ElementsAre(Pair("device", "cuda"), Pair("workflow", "nbody")));
  EXPECT_EQ(Fault(Body(input, {{"labels", {{"workflow", "other"}}}})),
            "field 'labels.workflow': 'other'; it is 'nbody', as field 'workflow' says");
}

TEST_F(WorkflowSubmissionTest, FaultsNameTheField) {
  EXPECT_EQ(Fault({{"workflow", "nbdy"}}),
            "field 'workflow': no workflow 'nbdy' (did you mean 'nbody'?); GET /v1/workflows lists all");
  EXPECT_EQ(Fault(Body({{"seed", "x"}, {"label", "x"}})), "field 'input': field 'seed': \"x\" found; int is expected");
  EXPECT_EQ(Fault({{"workflow", "nbody"}}), "field 'input': field 'seed' is missing; int is expected");
  EXPECT_THAT(Fault(Body({{"sed", 1}})), HasSubstr("field 'input': unknown field 'sed' (did you mean 'seed'?)"));
  workflows_ = {};
  EXPECT_THAT(Fault({{"workflow", "nbody"}}), HasSubstr("this server has none"));
}

TEST_F(WorkflowSubmissionTest, TheSchemaTellsItFromAnEvaluation) {
  EXPECT_THAT(Misfits(Body({{"seed", 3}}, {{"deadline_s", 1}, {"dedup", false}, {"max_attempts", 1}})), IsEmpty());
  EXPECT_THAT(Misfits({{"problem", "level1/relu"}, {"source", "x"}, {"backend", "cpp"}}), IsEmpty());
  EXPECT_THAT(Misfits(Body({{"seed", 3}}, {{"source", "x"}})).front().detail, HasSubstr("unknown field 'source'"));
  EXPECT_EQ(Misfits({{"workflow", "nbody"}, {"input", 3}}).front().detail,
            "field 'input': 3 found; an object is expected");
  EXPECT_EQ(Misfits({{"source", "x"}, {"backend", "cpp"}}).front().detail.substr(0, 26), "field 'problem' is missing");
}

TEST_F(WorkflowSubmissionTest, AFileThatIsUnsoundIsRefused) {
  EXPECT_EQ(WorkflowCatalogue::Of({FileWith("name: nbody\ninput: {seed: itn}")}).error().message.substr(0, 22),
            "nbody.yaml: input.seed");
  EXPECT_EQ(workflows_.outlines()[0]["input"]["dt"], (Json{{"type", "float"}, {"default", 0.5}}));
}

// --- What it leaves

class WorkflowResultTest : public testing::Test {
 protected:
  WorkflowResultTest() {
    workflow_.name = "w";
    workflow_.steps.resize(2);
    workflow_.steps[0].name = "first";
    workflow_.steps[1].name = "second";
    run_.steps.resize(2);
    for (judge::StepRecord& step : run_.steps) {
      step.state = judge::StepRecord::State::kOk;
      step.outcome = judge::Outcome::kOk;
    }
  }
  Json Kept() const { return ParseJson(WorkflowResult(workflow_, run_, {{"kgym", "1"}}).value()).value(); }

  judge::Workflow workflow_;
  judge::WorkflowRun run_;
};

TEST_F(WorkflowResultTest, FilesComeBackByteForByte) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (const std::size_t size : {0U, 1U, 2U, 3U, 255U, 256U}) {
    run_.steps[1].files = {{"a/b.bin", bytes.substr(0, size)}};
    EXPECT_EQ(FileOf(Kept(), "second", "a/b.bin").value(), bytes.substr(0, size));
  }
  EXPECT_EQ(FileOf(Kept(), "third", "a").error().message, "it has no step 'third'");
  EXPECT_EQ(FileOf(Kept(), "first", "a").error().message, "step 'first' left no file 'a'");
  EXPECT_EQ(FileOf(Kept(), "second", "a/c.bin").error().message,
            "step 'second' left no file 'a/c.bin' (did you mean 'a/b.bin'?); there are a/b.bin");
  EXPECT_FALSE(FileOf("no result of ours", "second", "a").ok());
}

TEST_F(WorkflowResultTest, LargeFilesAreToldAndNotKept) {
  run_.steps[0].files = {{"large", std::string(kMostKeptFileBytes + 1, 'x')}, {"small", "y"}};
  EXPECT_EQ(FileOf(Kept(), "first", "small").value(), "y");
  EXPECT_EQ(Kept()["report"]["steps"][0]["artefacts"][0]["bytes"], kMostKeptFileBytes + 1);
  EXPECT_THAT(FileOf(Kept(), "first", "large").error().message, HasSubstr("was not kept: a run keeps 4.0 MiB"));
}

TEST_F(WorkflowResultTest, AReportThatIsTooLargeIsRefused) {
  run_.steps[0].output = std::string(kMostReportBytes, 'x');
  EXPECT_THAT(WorkflowResult(workflow_, run_, {}).error().message, HasSubstr("write what is large into files"));
}

TEST_F(WorkflowResultTest, ClientsSeeTheReportAndTheFirstFailure) {
  run_.steps[1].state = judge::StepRecord::State::kFailed;
  run_.steps[1].outcome = judge::Outcome::kFailCrash;
  run_.steps[1].reason = "it died";
  Task task;
  task.spec.id = "a";
  task.spec.labels = {{"workflow", "w"}};
  task.spec.payload = PackWorkflow({"w", {{"x", 1}}});
  task.state = TaskState::kDone;
  task.result = WorkflowResult(workflow_, run_, {{"kgym", "1"}}).value();
  const OutcomeNote note = NoteOf(task.result);
  EXPECT_EQ(note.outcome, "fail:crash");
  EXPECT_EQ(note.reason, "step 'second': it died");
  const Json json = EvaluationJson(task, std::nullopt);
  EXPECT_EQ(json["workflow"], "w");
  EXPECT_TRUE(json["problem"].is_null());
  EXPECT_EQ(json["outcome"], "fail:crash");
  EXPECT_EQ(json["reason"], "step 'second': it died");
  EXPECT_TRUE(json["verdict"].is_null());
  EXPECT_EQ(json["report"]["schema"], "kgym.workflow/1");
  EXPECT_EQ(json["report"]["provenance"]["kgym"], "1");
  EXPECT_FALSE(json.contains("files"));
  EXPECT_EQ(json["links"]["input"], "/v1/evaluations/a/artefacts/input");
}

}  // namespace
}  // namespace kgym::service
