// Workflows: what is refused when one is read, and in which order steps run, without any process.
#include "judge/workflow/workflow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <map>

#include "base/text.h"
#include "base/yaml_json.h"
#include "judge/workflow/workflow_run.h"

namespace kgym::judge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Signature> Signatures() {
  return {{"add", "", *ReadTypedFields({{"a", "int"}, {"b", {{"type", "int"}, {"default", 0}}}}, ""),
           *ReadTypedFields({{"sum", "int"}, {"even", "bool"}}, "")},
          {"say", "", *ReadTypedFields({{"text", "str"}, {"weight", {{"type", "float"}, {"default", 1}}}}, ""),
           *ReadTypedFields({{"text", "str"}}, "")}};
}

Result<Workflow> Read(const std::string& yaml) {
  return ReadWorkflow(*YamlToJson(yaml, "w.yaml"), "w.yaml", Signatures());
}

std::string Refusal(const std::string& yaml) {
  const Result<Workflow> workflow = Read(yaml);
  return workflow.ok() ? "" : workflow.error().message;
}

/// A workflow `w` with an input `n: int` and these steps.
std::string With(const std::string& steps) { return "name: w\ninput: {n: int, s: str}\nsteps:\n" + steps; }

constexpr const char* kDiamond = R"(
- {name: first, toolkit: add, input: {a: "${input.n}"}}
- {name: left, toolkit: add, input: {a: "${steps.first.output.sum}", b: 1}}
- {name: right, toolkit: add, input: {a: "${steps.first.output.sum}", b: 2}}
- {name: last, toolkit: add, input: {a: "${steps.left.output.sum}", b: "${steps.right.output.sum}"}}
output: {sum: "${steps.last.output.sum}", ms: "${steps.left.wall_ms}", n: "${input.n}", word: done}
)";

TEST(Workflow, KnowsWhatEachStepNeeds) {
  const Workflow workflow = *Read(With(kDiamond));
  EXPECT_THAT(workflow.steps[0].needs, IsEmpty());
  EXPECT_THAT(workflow.steps[1].needs, ElementsAre(0U));
  EXPECT_THAT(workflow.steps[3].needs, ElementsAre(1U, 2U));
}

TEST(Workflow, RefusesWhatDoesNotExist) {
  EXPECT_THAT(Refusal(With("- {name: a, toolkit: ad, input: {a: 1}}")),
              HasSubstr("w.yaml: step 'a': no toolkit 'ad' (did you mean 'add'?)"));
  EXPECT_THAT(Refusal(With("- {name: a, toolkit: add, input: {a: 1, c: 2}}")),
              HasSubstr("toolkit 'add' has no input 'c'"));
  EXPECT_THAT(Refusal(With("- {name: a, toolkit: add, input: {a: \"${input.m}\"}}")),
              HasSubstr("${input.m}: no field 'm'"));
  EXPECT_THAT(Refusal(With("- {name: a, toolkit: add, input: {a: \"${steps.b.output.sum}\"}}")),
              HasSubstr("no step 'b'"));
  EXPECT_THAT(Refusal(With("- {name: a, toolkit: add, input: {a: 1}}\noutput: {x: \"${steps.a.output.sums}\"}")),
              HasSubstr("output.x: ${steps.a.output.sums}: no field 'sums' (did you mean 'sum'?)"));
  EXPECT_THAT(Refusal(With("- {name: a, toolkit: add, inptu: {a: 1}}")),
              HasSubstr("unknown key 'inptu' (did you mean 'input'?)"));
  EXPECT_THAT(Refusal("name: w\nstep: []"), HasSubstr("unknown key 'step'"));
}

TEST(Workflow, RefusesOtherTypes) {
  EXPECT_THAT(Refusal(With("- {name: a, toolkit: add, input: {a: x}}")),
              HasSubstr("input 'a': \"x\" found; int is expected"));
  EXPECT_THAT(Refusal(With("- {name: a, toolkit: add, input: {a: \"${input.s}\"}}")),
              HasSubstr("${input.s} is str; int is expected"));
  EXPECT_THAT(Refusal(With("- {name: a, toolkit: add, input: {}}")),
              HasSubstr("input 'a' of toolkit 'add' is missing"));
  EXPECT_THAT(
      Refusal(With(
          "- {name: a, toolkit: say, input: {text: x}}\n- {name: b, toolkit: add, input: {a: \"${steps.a.cpu_ms}\"}}")),
      HasSubstr("${steps.a.cpu_ms} is float; int is expected"));
  EXPECT_EQ(Refusal(With("- {name: a, toolkit: add, input: {a: 1}}\n- {name: b, toolkit: say, input: {text: x, weight: "
                         "\"${steps.a.output.sum}\"}}")),
            "");
}

TEST(Workflow, RefusesCircles) {
  EXPECT_THAT(Refusal(With("- {name: a, toolkit: add, input: {a: \"${steps.a.output.sum}\"}}")),
              HasSubstr("steps a wait for each other"));
  EXPECT_THAT(
      Refusal(With(
          "- {name: z, toolkit: add, input: {a: 1}}\n- {name: a, toolkit: add, input: {a: \"${steps.b.output.sum}\"}}\n"
          "- {name: b, toolkit: add, input: {a: 1}, when: \"${steps.a.output.even}\"}")),
      HasSubstr("steps a, b wait for each other"));
}

TEST(Workflow, RefusesWhatIsNoReference) {
  for (const char* text :
       {"x ${input.n}", "${input}", "${input.n.m}", "${steps.a.sum}", "${steps.a.output}", "${n}", "${input.n"})
    EXPECT_THAT(Refusal(With(Concat("- {name: a, toolkit: say, input: {text: \"", text, "\"}}"))),
                HasSubstr("${input.FIELD}"))
        << text;
  EXPECT_EQ(Refusal(With("- name: a\n  toolkit: say\n  input:\n    text: |\n      echo ${HOME}\n      x\n")), "")
      << "a text of many lines is a constant";
}

TEST(Workflow, RefusesStepsThatAreNone) {
  EXPECT_THAT(Refusal("name: w\nsteps: []"), HasSubstr("a list of 1 to 32 steps"));
  EXPECT_THAT(Refusal(With("- {name: a, toolkit: add, input: {a: 1}}\n- {name: a, toolkit: add, input: {a: 1}}")),
              HasSubstr("two steps are named 'a'"));
  EXPECT_THAT(Refusal(With("- {name: A, toolkit: add}")), HasSubstr("name: 'A'; small letters"));
  EXPECT_THAT(Refusal(With("- {name: a, toolkit: add, input: {a: 1}, limit: 3}")),
              HasSubstr("limit: 3 found; a duration such as 20s"));
  EXPECT_THAT(Refusal("[]"), HasSubstr("a map with name, input, steps and output"));
}

TEST(Workflow, ReadsConditions) {
  const auto refusal = [](const std::string& when) {
    return Refusal(With("- {name: a, toolkit: add, input: {a: 1}}\n- {name: b, toolkit: add, input: {a: 1}, when: '" +
                        when + "'}"));
  };
  for (const char* sound : {"${steps.a.output.even}", "not ${steps.a.output.even}", "${steps.a.output.sum} <= 3",
                            "${input.s} == \"x\"", "${steps.a.wall_ms} < 1e3", "${steps.a.output.even} != true"})
    EXPECT_EQ(refusal(sound), "") << sound;
  EXPECT_THAT(refusal("${steps.a.output.sum}"), HasSubstr("is int, which true cannot be compared with so"));
  EXPECT_THAT(refusal("${input.s} < \"x\""), HasSubstr("cannot be compared with so"));
  EXPECT_THAT(refusal("${input.n} = 3"), HasSubstr("one of == != < <= > >="));
  EXPECT_THAT(refusal("${input.n} < x"), HasSubstr("a number, true, false or a text in double quotes"));
  EXPECT_THAT(refusal("n < 3"), HasSubstr("${input.FIELD}"));
}

/// Adds and repeats; holds a step until it is let go, and fails where it is told to.
class FakeSteps final : public StepRunner {
 public:
  explicit FakeSteps(Executor executor) : executor_(std::move(executor)) {}

  Awaitable<StepRecord> Run(const Step& step, Json input) override {
    begun.push_back(step.name);
    inputs[step.name] = input;
    if (held.contains(step.name)) co_await held.at(step.name).Wait();
    StepRecord record;
    const bool fails = failing.contains(step.name);
    record.state = fails ? StepRecord::State::kFailed : StepRecord::State::kOk;
    record.outcome = fails ? failing.at(step.name) : Outcome::kOk;
    record.wall_ms = 5;
    const std::int64_t sum = input.value("a", 0) + input.value("b", 0);
    if (!fails) record.output = {{"sum", sum}, {"even", sum % 2 == 0}, {"text", "x"}};
    co_return record;
  }

  void Hold(const std::string& name) { held.try_emplace(name, executor_); }

  std::vector<std::string> begun;
  std::map<std::string, Json> inputs;
  std::map<std::string, Event> held;
  std::map<std::string, Outcome> failing;

 private:
  Executor executor_;
};

class WorkflowRunTest : public testing::Test {
 protected:
  void Start(const std::string& yaml, Json input = {{"n", 3}, {"s", "x"}}) {
    workflow_ = *Read(yaml);
    Spawn(io_.get_executor(), RunInto(std::move(input)));
    io_.poll();
  }
  Awaitable<void> RunInto(Json input) { run_ = co_await RunWorkflow(workflow_, std::move(input), steps_); }

  boost::asio::io_context io_{1};
  FakeSteps steps_{io_.get_executor()};
  Workflow workflow_;
  std::optional<WorkflowRun> run_;
};

TEST_F(WorkflowRunTest, PassesValuesOn) {
  Start(With(kDiamond));
  ASSERT_TRUE(run_);
  EXPECT_EQ(run_->outcome(), Outcome::kOk);
  EXPECT_EQ(run_->output, (Json{{"sum", 9}, {"ms", 5.0}, {"n", 3}, {"word", "done"}}));
  EXPECT_EQ(steps_.inputs["last"], (Json{{"a", 4}, {"b", 5}}));
}

TEST_F(WorkflowRunTest, RunsSideBySideWhatDoesNotNameEachOther) {
  steps_.Hold("left");
  steps_.Hold("right");
  Start(With(kDiamond));
  EXPECT_THAT(steps_.begun, ElementsAre("first", "left", "right"));
  steps_.held.at("right").Set();
  io_.restart();
  io_.poll();
  EXPECT_THAT(steps_.begun, ElementsAre("first", "left", "right"));
  steps_.held.at("left").Set();
  io_.restart();
  io_.poll();
  EXPECT_EQ(steps_.begun.back(), "last");
  EXPECT_TRUE(run_);
}

TEST_F(WorkflowRunTest, AStepThatFailsEndsThoseThatNeedIt) {
  steps_.failing = {{"left", Outcome::kFailTimeout}};
  Start(With(kDiamond));
  ASSERT_TRUE(run_);
  EXPECT_EQ(run_->outcome(), Outcome::kFailTimeout);
  EXPECT_EQ(run_->steps[2].state, StepRecord::State::kOk) << "the other side goes on";
  EXPECT_EQ(run_->steps[3].state, StepRecord::State::kSkipped);
  EXPECT_EQ(run_->steps[3].reason, "step 'left', which it needs, failed");
  EXPECT_EQ(run_->output["sum"], nullptr);
  EXPECT_EQ(run_->output["n"], 3);
}

TEST_F(WorkflowRunTest, AFaultOfOurOwnComesBeforeOthers) {
  steps_.failing = {{"left", Outcome::kFailTimeout}, {"right", Outcome::kInfra}};
  Start(With(kDiamond));
  EXPECT_EQ(run_->outcome(), Outcome::kInfra);
}

TEST_F(WorkflowRunTest, WhenSkips) {
  Start(
      With("- {name: a, toolkit: add, input: {a: 3}}\n- {name: b, toolkit: add, input: {a: 1}, when: "
           "'${steps.a.output.even}'}\n"
           "- {name: c, toolkit: add, input: {a: \"${steps.b.output.sum}\"}}\n- {name: d, toolkit: add, input: {a: 1}, "
           "when: '${steps.a.output.sum} > 2'}\n"
           "output: {c: \"${steps.c.output.sum}\"}"));
  ASSERT_TRUE(run_);
  EXPECT_THAT(steps_.begun, ElementsAre("a", "d"));
  EXPECT_EQ(run_->outcome(), Outcome::kOk);
  EXPECT_EQ(run_->steps[1].reason, "'${steps.a.output.even}' does not hold: the value is false");
  EXPECT_EQ(run_->steps[2].reason, "step 'b', which it needs, was skipped");
  EXPECT_EQ(run_->output["c"], nullptr);
}

}  // namespace
}  // namespace kgym::judge
