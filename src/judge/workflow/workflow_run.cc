#include "judge/workflow/workflow_run.h"

#include <algorithm>
#include <deque>
#include <exception>

#include "base/text.h"

namespace kgym::judge {
namespace {

namespace asio = boost::asio;

std::string_view ToString(StepRecord::State state) {
  switch (state) {
    case StepRecord::State::kOk:
      return "ok";
    case StepRecord::State::kFailed:
      return "failed";
    case StepRecord::State::kSkipped:
      return "skipped";
  }
  return "?";
}

StepRecord Skipped(std::string reason) {
  StepRecord record;
  record.reason = std::move(reason);
  return record;
}

class Execution {
 public:
  Execution(const Executor& executor, const Workflow& workflow, Json input, StepRunner& runner)
      : executor_(executor), workflow_(workflow), input_(std::move(input)), runner_(runner) {
    run_.steps.resize(workflow.steps.size());
    for (std::size_t i = 0; i < workflow.steps.size(); ++i) ended_.emplace_back(executor);
  }

  Awaitable<WorkflowRun> Run() {
    const auto start = [this](std::size_t place) { return asio::co_spawn(executor_, RunStep(place), asio::deferred); };
    std::vector<decltype(start(0))> steps;
    for (std::size_t i = 0; i < workflow_.steps.size(); ++i) steps.push_back(start(i));
    auto group = asio::experimental::make_parallel_group(std::move(steps));
    auto [order, failures] = co_await group.async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
    for (const std::exception_ptr& failure : failures) {
      if (failure) std::rethrow_exception(failure);
    }
    for (const auto& [name, binding] : workflow_.output) run_.output[name] = ValueOf(binding);
    co_return std::move(run_);
  }

 private:
  Awaitable<void> RunStep(std::size_t place) {
    const Step& step = workflow_.steps[place];
    for (const std::size_t need : step.needs) co_await ended_[need].Wait();
    if (std::string reason = WhyNot(step); !reason.empty()) {
      run_.steps[place] = Skipped(std::move(reason));
    } else {
      Json input = Json::object();
      for (const auto& [name, binding] : step.input) input[name] = ValueOf(binding);
      run_.steps[place] = co_await runner_.Run(step, std::move(input));
    }
    ended_[place].Set();
  }

  /// Why a step is skipped; empty where it runs.
  std::string WhyNot(const Step& step) const {
    for (const std::size_t need : step.needs) {
      const StepRecord& record = run_.steps[need];
      if (record.state == StepRecord::State::kOk) continue;
      const bool failed = record.state == StepRecord::State::kFailed;
      return Concat("step '", workflow_.steps[need].name, "', which it needs, ", failed ? "failed" : "was skipped");
    }
    if (!step.when || step.when->Holds(ValueOf(step.when->left))) return "";
    return Concat("'", step.when->text, "' does not hold: the value is ",
                  DumpJson(ValueOf(step.when->left)).substr(0, 80));
  }

  Json ValueOf(const Binding& binding) const {
    const auto* reference = std::get_if<Reference>(&binding);
    if (reference == nullptr) return std::get<Json>(binding);
    if (reference->of == Reference::Of::kInput) return input_[reference->field];
    const auto step = std::ranges::find(workflow_.steps, reference->step, &Step::name);
    const StepRecord& record = run_.steps[static_cast<std::size_t>(step - workflow_.steps.begin())];
    if (record.state != StepRecord::State::kOk) return nullptr;
    if (reference->of == Reference::Of::kOutput) return record.output[reference->field];
    const auto& ms = reference->of == Reference::Of::kWallMs ? record.wall_ms : record.cpu_ms;
    return ms ? Json(*ms) : Json(nullptr);
  }

  Executor executor_;
  const Workflow& workflow_;
  const Json input_;
  StepRunner& runner_;
  std::deque<Event> ended_;
  WorkflowRun run_;
};

Json OrNull(const std::optional<double>& number) { return number ? Json(*number) : Json(nullptr); }

}  // namespace

Awaitable<WorkflowRun> RunWorkflow(const Workflow& workflow, Json input, StepRunner& runner) {
  const Executor executor = co_await asio::this_coro::executor;
  Execution execution(executor, workflow, std::move(input), runner);
  co_return co_await execution.Run();
}

Outcome WorkflowRun::outcome() const {
  Outcome worst = Outcome::kOk;
  for (const StepRecord& record : steps) {
    if (record.state != StepRecord::State::kFailed) continue;
    if (record.outcome == Outcome::kInfra) return Outcome::kInfra;
    if (worst == Outcome::kOk) worst = record.outcome.value_or(Outcome::kInfra);
  }
  return worst;
}

Json StepRecord::ToJson() const {
  Json list = Json::array();
  for (const StepFile& file : files) list.push_back({{"name", file.name}, {"bytes", file.bytes.size()}});
  return {{"state", ToString(state)},
          {"outcome", outcome ? Json(judge::ToString(*outcome)) : Json(nullptr)},
          {"reason", reason},
          {"evidence", evidence},
          {"wall_ms", OrNull(wall_ms)},
          {"cpu_ms", OrNull(cpu_ms)},
          {"output", output},
          {"artefacts", std::move(list)},
          {"log", log}};
}

Json ToJson(const Workflow& workflow, const WorkflowRun& run) {
  Json steps = Json::array();
  for (std::size_t i = 0; i < workflow.steps.size(); ++i) {
    Json row = {{"name", workflow.steps[i].name}, {"toolkit", workflow.steps[i].toolkit}};
    row.update(run.steps[i].ToJson());
    steps.push_back(std::move(row));
  }
  return {{"schema", "kgym.workflow/1"},
          {"workflow", workflow.name},
          {"outcome", judge::ToString(run.outcome())},
          {"output", run.output},
          {"steps", std::move(steps)}};
}

}  // namespace kgym::judge
