#include "service/api/build_lanes.h"

#include <algorithm>

#include "base/log.h"
#include "base/text.h"
#include "judge/build_bundle.h"
#include "service/api/evaluation_request.h"
#include "service/schedule/follow.h"

namespace kgym::service {

Awaitable<Result<std::vector<LaneInfo>>> BuildLanes::Start() {
  KGYM_CO_TRY(builder_, co_await judge::Builder::Start(executor_, config_, arch_));
  LaneInfo lane;
  lane.name = Concat(kBuildDevice, ":", arch_.empty() ? "cpu" : "sm_" + arch_);
  lane.labels = {{"device", kBuildDevice}};
  lane.slots = slots_ > 0 ? slots_ : config_.build_jobs;
  lane.facts = {{"versions", builder_->versions()}, {"builds", builder_->mark()}, {"builds_of", builder_->backends()}};
  std::vector<LaneInfo> lanes = {std::move(lane)};
  co_return lanes;
}

Awaitable<Ran> BuildLanes::Run(std::size_t, const Task& task, bool, std::function<void(std::string_view)> stage) {
  const Ran back{.back = true};
  Result<EvaluationRequest> request = UnpackRequest(task.spec.payload);
  if (!request.ok() || !judge::FormatFault(request->submission).empty()) co_return back;
  stage("building");
  std::string key = builder_->Key(request->submission);
  const Result<judge::Built> built = co_await builder_->Make(std::move(request->submission));
  if (!built.ok()) LogWarning(task.spec.id + " could not be built: " + built.error().message);
  if (!built.ok() || !std::holds_alternative<judge::Artefacts>(*built)) co_return back;
  Result<std::string> bundle = judge::PackBuild(std::get<judge::Artefacts>(*built));
  Status kept;
  if (bundle.ok()) kept = co_await depot_.Keep(std::move(key), *std::move(bundle));
  if (!bundle.ok()) kept = bundle.error();
  if (!kept.ok()) LogWarning("the build of " + task.spec.id + " is not shared: " + kept.error().message);
  co_return back;
}

std::optional<Waiting> BuildLanes::Pick(const Task& task) const {
  const auto backend = task.spec.labels.find(kBackendLabel);
  if (builder_ == nullptr || backend == task.spec.labels.end() || task.lane.starts_with(kBuildDevice))
    return std::nullopt;
  if (std::ranges::find(builder_->backends(), backend->second) == builder_->backends().end()) return std::nullopt;
  const auto may_run = [&](const Labels& lane) { return Satisfies(lane, task.spec.labels); };
  if (std::ranges::none_of(served_, may_run)) return std::nullopt;
  Waiting waiting = WaitingOf(task);
  waiting.labels.clear();  // They are of the lane that will judge it.
  return waiting;
}

bool BuildLanes::Learn(const std::string& targets) {
  if (builder_ == nullptr || targets == learnt_) return false;
  learnt_ = targets;
  std::set<Labels> served;
  for (const auto& [labels, mark] : ReadBuildTargets(targets)) {
    if (mark == builder_->mark()) served.insert(labels);
  }
  if (served.empty())
    LogWarning(Concat("no lane has the runner, versions, processor and architecture of these builds (mark ",
                      builder_->mark(), "); it waits for one"));
  return std::exchange(served_, served) != served;
}

Awaitable<void> BuildLanes::Close() {
  builder_.reset();
  co_return;
}

}  // namespace kgym::service
