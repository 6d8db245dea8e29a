#include "service/compat/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/api/outcome_note.h"
#include "service/compat/task.h"

namespace kgym::service::kernelgym {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Evaluation Request() {
  Evaluation evaluation;
  evaluation.task_id = "t1";
  evaluation.reference_code = "class Model: pass";
  evaluation.kernel_code = "class ModelNew: pass";
  return evaluation;
}

Json Verdict(const std::string& outcome) {
  return {{"outcome", outcome},
          {"reason", "why"},
          {"next_step", "what next"},
          {"evidence", Json::object()},
          {"speedup", nullptr},
          {"speedup_interval", nullptr},
          {"reference_ms", nullptr},
          {"candidate_ms", nullptr},
          {"compiled_reference_ms", nullptr},
          {"problem", {{"hash", "h"}}},
          {"correctness", {{"sets", 5}, {"passed", 5}, {"max_abs", 0.25}}},
          {"timing", nullptr},
          {"own_work", nullptr},
          {"provenance", {{"device", "cuda"}, {"card", "NVIDIA H100"}}}};
}

Json TimedVerdict(double reference, double candidate) {
  Json verdict = Verdict("ok");
  verdict["speedup"] = reference / candidate;
  verdict["reference_ms"] = reference;
  verdict["candidate_ms"] = candidate;
  verdict["timing"] = {{"reference", {{"median_ms", reference}}},
                       {"candidate", {{"median_ms", candidate}, {"mean_ms", candidate}, {"trials", 60}}}};
  return verdict;
}

Task Done(const Json& verdict, const Evaluation& evaluation = Request()) {
  Task task;
  task.spec = ToSpec(evaluation, {judge::JudgeConfig{}, "tenant"}).value();
  task.state = TaskState::kDone;
  task.submitted_ms = 1000, task.started_ms = 2000, task.ended_ms = 3500;
  task.result = VerdictResult(verdict);
  return task;
}

Json Respond(const Task& task) {
  ReferenceTimes times;
  return EvaluationResponse(task, "t1", times);
}

std::vector<std::string> Keys(const Json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

TEST(EvaluationResponse, HasEveryFieldOfTheOriginal) {
  for (const Json& response :
       {Respond(Done(Verdict("ok"))), Respond(Done(Verdict("infra"))), FailedResponse("t1", "X", "y")})
    EXPECT_THAT(Keys(response),
                ElementsAre("task_id", "status", "compiled", "correctness", "decoy_kernel", "reference_runtime",
                            "kernel_runtime", "speedup", "metadata", "error_message", "error_code", "submitted_at",
                            "completed_at", "processing_time"));
}

TEST(EvaluationResponse, ATimedKernel) {
  const Json response = Respond(Done(TimedVerdict(3, 2)));
  EXPECT_EQ(response["task_id"], "t1");
  EXPECT_EQ(response["status"], "completed");
  EXPECT_EQ(response["compiled"], true);
  EXPECT_EQ(response["correctness"], true);
  EXPECT_EQ(response["decoy_kernel"], false);
  EXPECT_EQ(response["reference_runtime"], 3.0);
  EXPECT_EQ(response["kernel_runtime"], 2.0);
  EXPECT_EQ(response["speedup"], 1.5);
  EXPECT_TRUE(response["error_message"].is_null());
  EXPECT_EQ(response["processing_time"], 1.5);
  const Json& metadata = response["metadata"];
  EXPECT_EQ(metadata["hardware"], "NVIDIA H100");
  EXPECT_EQ(metadata["correctness_trials"], "(5 / 5)");
  EXPECT_EQ(metadata["kernel_task_id"], "t1_kernel");
  EXPECT_EQ(metadata["reference_task_id"], "t1_ref");
  EXPECT_EQ(metadata["runtime_stats"]["num_trials"], 60);
}

TEST(EvaluationResponse, RightAndNotTimedIsMarkedSo) {
  const Json response = Respond(Done(Verdict("ok")));
  EXPECT_EQ(response["reference_runtime"], -1.0);
  EXPECT_EQ(response["kernel_runtime"], -1.0);
  EXPECT_EQ(response["speedup"], 0.0);
}

struct Row {
  const char* outcome;
  const char* status;
  bool compiled, correct, decoy;
  const char* code;     // Null: none.
  const char* message;  // A part of it.
};

class Outcomes : public testing::TestWithParam<Row> {};

TEST_P(Outcomes, AreWordedAsTheOriginalDoes) {
  const Row& row = GetParam();
  const Task task = Done(Verdict(row.outcome));
  const Json response = Respond(task);
  EXPECT_EQ(response["status"], row.status);
  EXPECT_EQ(StatusOf(task), row.status);
  EXPECT_EQ(response["compiled"], row.compiled);
  EXPECT_EQ(response["correctness"], row.correct);
  EXPECT_EQ(response["decoy_kernel"], row.decoy);
  EXPECT_EQ(response["speedup"], 0.0);
  EXPECT_EQ(response["kernel_runtime"], -1.0);
  EXPECT_EQ(response["error_code"], row.code == nullptr ? Json() : Json(row.code));
  if (row.code == nullptr) {
    EXPECT_TRUE(response["error_message"].is_null());
  } else {
    EXPECT_THAT(response["error_message"].get<std::string>(), HasSubstr(row.message));
  }
  EXPECT_EQ(response["metadata"]["kgym_outcome"], row.outcome);
}

INSTANTIATE_TEST_SUITE_P(
    All, Outcomes,
    testing::Values(
        Row{"rejected:decoy-kernel", "completed", true, true, true, nullptr, ""},
        Row{"rejected:library-call", "completed", true, true, true, nullptr, ""},
        Row{"rejected:timing-tamper", "completed", true, false, true, "CORRECTNESS_ERROR",
            "rejected (timing-tamper): why"},
        Row{"fail:numerical", "completed", true, false, false, "CORRECTNESS_ERROR",
            "Kernel produced incorrect results"},
        Row{"fail:shape", "completed", true, false, false, "CORRECTNESS_ERROR", "Kernel produced incorrect results"},
        Row{"fail:runtime", "completed", true, false, false, "RUNTIME_ERROR", "Kernel execution failed: why"},
        Row{"fail:crash", "completed", true, false, false, "RUNTIME_ERROR", "Kernel execution failed: why"},
        Row{"fail:compile", "failed", false, false, false, "COMPILATION_ERROR", "Kernel compilation failed: why"},
        Row{"fail:format", "failed", false, false, false, "COMPILATION_ERROR", "Kernel compilation failed: why"},
        Row{"fail:timeout", "failed", false, false, false, "TIMEOUT_ERROR", "Task t1 timeout after 300s"},
        Row{"infra", "failed", false, false, false, "SYSTEM_ERROR", "no fault of the kernel"}));

TEST(EvaluationResponse, ATracebackFollowsTheReason) {
  Json verdict = Verdict("fail:runtime");
  verdict["evidence"] = {{"traceback", "line 5: boom"}};
  const Json response = Respond(Done(verdict));
  EXPECT_EQ(response["error_message"], "Kernel execution failed: why\nline 5: boom");
  EXPECT_EQ(response["metadata"]["runtime_error"], "why\nline 5: boom");
}

TEST(EvaluationResponse, WrongNumbersSayHowWrong) {
  const Json metadata = Respond(Done(Verdict("fail:numerical")))["metadata"];
  EXPECT_EQ(metadata["correctness_issue"], "Output mismatch");
  EXPECT_EQ(metadata["correctness_issue_name"], "correctness_issue");
  EXPECT_EQ(metadata["max_difference"], Json::array({"0.250000"}));
}

TEST(EvaluationResponse, EndsWithoutAVerdict) {
  Task task = Done(Verdict("ok"));
  task.result = ErrorResult("problem", "get_inputs() raised", "");
  EXPECT_EQ(Respond(task)["error_message"], "Kernel evaluation failed: get_inputs() raised");
  EXPECT_EQ(Respond(task)["kernel_runtime"], 0.0);
  EXPECT_EQ(StatusOf(task), "failed");
  task.state = TaskState::kCancelled;
  EXPECT_EQ(Respond(task)["error_message"], "Task cancelled");
  EXPECT_FALSE(IsInfra(task));
  task.state = TaskState::kDead;
  task.reason = "3 attempts were lost";
  EXPECT_EQ(Respond(task)["error_message"], "Task failed: 3 attempts were lost");
  EXPECT_TRUE(IsInfra(task));
}

TEST(EvaluationResponse, CoverageHasTheNamesAndTypesThatClientsRead) {
  Json verdict = TimedVerdict(3, 2);
  verdict["own_work"] = {{"profile",
                          {{"kernels",
                            {{{"name", "add_kernel"}, {"owner", "own"}, {"launches", 1}, {"us", 30.0}},
                             {{"name", "fill"}, {"owner", "framework"}, {"launches", 2}, {"us", 10.0}}}},
                           {"more", 0},
                           {"launches", 3},
                           {"us", {{"own", 30.0}, {"library", 0.0}, {"framework", 10.0}}}}}};
  const Json metadata = Respond(Done(verdict))["metadata"];
  EXPECT_EQ(metadata["num_custom_kernels"], 1);
  EXPECT_EQ(metadata["num_total_kernels"], 2);
  EXPECT_EQ(metadata["custom_kernel_cuda_time_in_profiling_us"], 30.0);
  EXPECT_EQ(metadata["total_kernel_run_time_in_profiling_us"], 40.0);
  EXPECT_EQ(metadata["triton_profiler_matches"], "['add_kernel']");
  EXPECT_EQ(metadata["triton_kernel_coverage"], "Run 1 custom kernels / Total 2 kernels, Coverage: 50.00%");
  EXPECT_EQ(metadata["custom_kernel_cuda_time_coverage"],
            "Custom kernel CUDA time: 30.00us / Total time: 40.00us, Coverage: 75.00%");
  EXPECT_EQ(metadata["profiling"]["kernels"][0]["name"], "add_kernel");
  Evaluation quiet = Request();
  quiet.profiling = false;
  EXPECT_FALSE(Respond(Done(verdict, quiet))["metadata"].contains("profiling"));
}

TEST(EvaluationResponse, TheCompiledReferenceIsTheReferenceWhereItIsAskedFor) {
  Evaluation evaluation = Request();
  evaluation.reference_backend = "Torch_Compile";
  Json verdict = TimedVerdict(3, 2);
  EXPECT_EQ(Respond(Done(verdict, evaluation))["reference_runtime"], -1.0);
  EXPECT_EQ(Respond(Done(verdict, evaluation))["metadata"]["reference_backend_compiled"], false);
  verdict["compiled_reference_ms"] = 2.5;
  const Json response = Respond(Done(verdict, evaluation));
  EXPECT_EQ(response["reference_runtime"], 2.5);
  EXPECT_EQ(response["speedup"], 1.25);
  EXPECT_EQ(response["metadata"]["reference_backend"], "Torch_Compile");
}

TEST(EvaluationResponse, AReferenceTimeIsSharedByUuid) {
  Evaluation evaluation = Request();
  evaluation.use_reference_cache = true;
  evaluation.uuid = "u1";
  ReferenceTimes times;
  const Json first = EvaluationResponse(Done(TimedVerdict(4, 2), evaluation), "t1", times);
  EXPECT_EQ(first["metadata"]["cached"], false);
  const Json second = EvaluationResponse(Done(TimedVerdict(5, 2), evaluation), "t2", times);
  EXPECT_EQ(second["reference_runtime"], 4.0);
  EXPECT_EQ(second["speedup"], 2.0);
  EXPECT_EQ(second["metadata"]["cached"], true);
  EXPECT_EQ(second["metadata"]["cache_type"], "regular");
  evaluation.uuid = "u2";
  EXPECT_EQ(EvaluationResponse(Done(TimedVerdict(5, 2), evaluation), "t3", times)["reference_runtime"], 5.0);
}

TEST(ReferenceTimes, ForgetsTheLeastRecentlyUsed) {
  ReferenceTimes times(2);
  times.Keep("a", 1);
  times.Keep("b", 2);
  EXPECT_EQ(times.Find("a"), 1.0);
  times.Keep("c", 3);
  EXPECT_EQ(times.Find("b"), std::nullopt);
  EXPECT_EQ(times.Find("a"), 1.0);
  EXPECT_EQ(times.size(), 2u);
}

TEST(StatusResponse, SaysWhatClientsLookFor) {
  Task task = Done(Verdict("fail:compile"));
  const Json response = Respond(task);
  const Json status = StatusResponse(task, "t1", response, std::nullopt);
  EXPECT_EQ(status["status"], "failed");
  EXPECT_EQ(status["error_message"], "Kernel compilation failed: why");
  task.state = TaskState::kQueued;
  const Json waiting = StatusResponse(task, "t1", std::nullopt, 4);
  EXPECT_THAT(Keys(waiting), ElementsAre("task_id", "status", "progress", "estimated_completion", "queue_position",
                                         "assigned_device"));
  EXPECT_EQ(waiting["status"], "pending");
  EXPECT_EQ(waiting["queue_position"], 4);
}

TEST(WorkflowResponse, PutsThePayloadIntoTheResult) {
  const Json response = WorkflowResponse(Respond(Done(TimedVerdict(3, 2))));
  EXPECT_THAT(Keys(response), ElementsAre("task_id", "status", "result", "error_message", "error_code", "submitted_at",
                                          "completed_at"));
  EXPECT_EQ(response["result"]["speedup"], 1.5);
  EXPECT_FALSE(response["result"].contains("status"));
}

TEST(ToSpec, IsAnEvaluationOfOurs) {
  Evaluation evaluation = Request();
  evaluation.priority = "high";
  evaluation.entry_point = "Net";
  evaluation.timeout_s = 20;
  evaluation.run_performance = false;
  evaluation.detect_decoy = false;
  const TaskSpec spec = ToSpec(evaluation, {judge::JudgeConfig{}, "me", true}).value();
  EXPECT_EQ(spec.id, "t1");
  EXPECT_EQ(spec.tenant, "me");
  EXPECT_EQ(spec.priority, 2);
  EXPECT_EQ(spec.labels.at("device"), "cuda");
  const Json payload = ParseJson(spec.payload).value();
  EXPECT_EQ(payload["submission"]["entry"], "NetNew");
  EXPECT_THAT(payload["problem"]["source"].get<std::string>(), HasSubstr("\nModel = Net\n"));
  EXPECT_EQ(payload["config"]["limits.build"], "20s");
  EXPECT_EQ(payload["config"]["limits.call"], "10s");  // Never raised.
  EXPECT_EQ(payload["config"]["timing.enabled"], false);
  EXPECT_EQ(payload["config"]["judge.require_custom_kernel"], false);
  const std::map<std::string, std::string> without_cards = {{"backend", "triton"}};
  EXPECT_EQ(ToSpec(Request(), {judge::JudgeConfig{}, "me", false}).value().labels, without_cards);
}

TEST(ToSpec, KernelSimpleHasNoReference) {
  Evaluation evaluation = Request();
  evaluation.workflow = Workflow::kKernelSimple;
  evaluation.cases = {{{"inputs", {1.0}}, {"outputs", 2.0}, {"rtol", 0.5}}};
  const Json payload = ParseJson(ToSpec(evaluation, {judge::JudgeConfig{}, "me"}).value().payload).value();
  EXPECT_EQ(payload["config"]["correctness.rtol"], 0.5);
  EXPECT_EQ(payload["kernelgym"]["cases_source"], "inline");
  const Json response = Respond(Done(TimedVerdict(3, 2), evaluation));
  EXPECT_EQ(response["kernel_runtime"], 2.0);
  EXPECT_TRUE(response["reference_runtime"].is_null());
  EXPECT_TRUE(response["speedup"].is_null());
  EXPECT_EQ(response["correctness"], true);
  evaluation.cases = nullptr;
  EXPECT_FALSE(ToSpec(evaluation, {judge::JudgeConfig{}, "me"}).ok());
  evaluation.kernel_code += "\ndef get_inputs(): return []";
  EXPECT_TRUE(Respond(Done(TimedVerdict(3, 2), evaluation))["correctness"].is_null());
}

}  // namespace
}  // namespace kgym::service::kernelgym
