#include "service/schedule/simulator/simulate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "service/schedule/simulator/fairness.h"
#include "service/schedule/simulator/lanes.h"
#include "service/schedule/simulator/random.h"

namespace kgym::service::simulator {
namespace {

constexpr int kSamplesPerWindow = 10;
constexpr std::size_t kProblems = 20'000;  // More than any trainer draws from.

struct Event {
  enum Kind { kTurn, kArrive, kEnd, kLaneFails, kLaneBack, kMachineLost, kRedeliver, kSample };

  double at;
  std::uint64_t order;
  Kind kind;
  std::size_t index;             // Of a trainer, task, lane or machine.
  std::uint64_t generation = 0;  // Of the lane, where it matters.

  bool operator>(const Event& other) const { return std::pair(at, order) > std::pair(other.at, other.order); }
};

struct Work {
  std::size_t trainer, problem;
  double hold, expected;
  double submitted = 0, started = -1;
  int attempt = 0;
  bool ended = false;
  Charge charge = {};
};

struct Progress {
  int step = 0, turn = 0;
  std::size_t outstanding = 0;
  double turn_began = 0;
  std::vector<std::size_t> problems;  // Of the step.
  std::vector<double> waits, turns;
};

struct Problem {
  std::string name;
  std::uint64_t key;
  double hold;
};

class Simulation {
 public:
  Simulation(const Scenario& scenario, Scheduler& scheduler)
      : scenario_(scenario),
        scheduler_(scheduler),
        random_(scenario.seed),
        lanes_(scenario.fleet, [&](const Labels& labels) { return scheduler.PoolFor(labels); }),
        progress_(scenario.trainers.size()),
        waiting_(scenario.trainers.size()),
        pool_waiting_(lanes_.pools()) {
    for (std::size_t i = 0; i < kProblems; ++i) {
      const std::string name = "level" + std::to_string(i % 4 + 1) + "/" + std::to_string(i);
      problems_.push_back({name, AffinityKey(name), random_.LogNormal(scenario.hold_median_s, scenario.hold_sigma)});
    }
  }

  Report Run();

 private:
  void At(double at, Event::Kind kind, std::size_t index, std::uint64_t generation = 0) {
    events_.push({at, order_++, kind, index, generation});
  }
  const Trainer& TrainerOf(const Work& work) const { return scenario_.trainers[work.trainer]; }

  void PlanFailures();
  void Handle(const Event& event);
  void Advance(double at);
  void BeginTurn(std::size_t trainer);
  void Arrive(std::size_t task);
  void Offer(std::size_t task);
  void ChangeWaiting(std::size_t trainer, int change);
  void Dispatch();
  void Start(const Decision& decision);
  void End(std::size_t lane);
  void Ended(std::size_t task);
  void Lose(std::size_t lane, double noticed, double until);
  void Redeliver(std::size_t task);
  void Sample();
  void Finish();

  const Scenario& scenario_;
  Scheduler& scheduler_;
  Random random_;
  Lanes lanes_;
  std::vector<Problem> problems_;
  std::vector<Progress> progress_;
  std::vector<Work> work_;
  std::vector<std::int64_t> waiting_;       // By trainer.
  std::vector<std::int64_t> pool_waiting_;  // By pool: what it could run.
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0, sequence_ = 0;
  double now_ = 0;
  std::int64_t outstanding_ = 0;  // Submitted, or on the way, and not ended.
  int live_trainers_ = 0;
  std::int64_t total_waiting_ = 0;
  int samples_ = 0;
  Fairness fairness_;
  double up_area_ = 0, busy_area_ = 0, loaded_up_area_ = 0, loaded_busy_area_ = 0;  // Lane-seconds.
  Report report_;
};

Report Simulation::Run() {
  const auto began = std::chrono::steady_clock::now();
  report_.policy = scheduler_.name();
  live_trainers_ = static_cast<int>(scenario_.trainers.size());
  for (std::size_t i = 0; i < scenario_.trainers.size(); ++i) At(scenario_.trainers[i].start_s, Event::kTurn, i);
  PlanFailures();
  At(1, Event::kSample, 0);
  while (live_trainers_ > 0 || outstanding_ > 0) {
    KGYM_CHECK(!events_.empty()) << outstanding_ << " tasks have not ended, and nothing will happen.";
    const double at = events_.top().at;
    Advance(at);
    for (; !events_.empty() && events_.top().at == at;) {
      const Event event = events_.top();
      events_.pop();
      Handle(event);
    }
    Dispatch();
  }
  Finish();
  report_.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return std::move(report_);
}

void Simulation::PlanFailures() {
  const Fleet& fleet = scenario_.fleet;
  if (fleet.lane_mtbf_s > 0) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) At(random_.Exponential(fleet.lane_mtbf_s), Event::kLaneFails, i);
  }
  if (fleet.machine_mtbf_s > 0) {
    for (std::size_t i = 0; i < lanes_.machines(); ++i) {
      At(random_.Exponential(fleet.machine_mtbf_s), Event::kMachineLost, i);
    }
  }
}

void Simulation::Advance(double at) {
  const double span = at - now_;
  now_ = at;
  for (PoolId pool = 0; pool < lanes_.pools(); ++pool) {
    up_area_ += span * lanes_.up_in(pool);
    busy_area_ += span * lanes_.busy_in(pool);
    if (pool_waiting_[pool] == 0) continue;
    loaded_up_area_ += span * lanes_.up_in(pool);
    loaded_busy_area_ += span * lanes_.busy_in(pool);
  }
}

void Simulation::Handle(const Event& event) {
  const Fleet& fleet = scenario_.fleet;
  switch (event.kind) {
    case Event::kTurn:
      return BeginTurn(event.index);
    case Event::kArrive:
      return Arrive(event.index);
    case Event::kEnd:
      if (lanes_.generation(event.index) == event.generation) End(event.index);
      return;
    case Event::kLaneFails:
      Lose(event.index, now_ + fleet.wedge_noticed_s, now_ + fleet.wedge_noticed_s + fleet.quarantine_s);
      At(now_ + fleet.quarantine_s + random_.Exponential(fleet.lane_mtbf_s), Event::kLaneFails, event.index);
      return;
    case Event::kLaneBack:
      lanes_.Restore(event.index, now_);
      return;
    case Event::kMachineLost: {
      const auto [begin, end] = lanes_.LanesOf(event.index);
      for (std::size_t lane = begin; lane < end; ++lane) Lose(lane, now_ + fleet.lease_s, now_ + fleet.reboot_s);
      At(now_ + fleet.reboot_s + random_.Exponential(fleet.machine_mtbf_s), Event::kMachineLost, event.index);
      return;
    }
    case Event::kRedeliver:
      return Redeliver(event.index);
    case Event::kSample:
      return Sample();
  }
}

void Simulation::BeginTurn(std::size_t index) {
  const Trainer& trainer = scenario_.trainers[index];
  Progress& progress = progress_[index];
  if (progress.turn == 0) {
    if (progress.step == trainer.steps || report_.submitted >= scenario_.tasks) {
      --live_trainers_;
      return;
    }
    progress.problems.clear();
    for (int i = 0; i < trainer.groups; ++i) {
      progress.problems.push_back(random_.Below(static_cast<std::size_t>(trainer.problems)));
    }
  }
  progress.turn_began = now_;
  for (const std::size_t problem : progress.problems) {
    for (int i = 0; i < trainer.rollouts; ++i) {
      double hold = problems_[problem].hold * random_.LogNormal(1, scenario_.hold_sigma / 2);
      const double expected = problems_[problem].hold * random_.LogNormal(1, scenario_.expected_sigma);
      if (random_.Uniform() < scenario_.slow_share) hold *= 10;
      work_.push_back({index, problem, hold, expected});
      At(now_ + random_.Uniform() * trainer.spread_s, Event::kArrive, work_.size() - 1);
      ++progress.outstanding;
      ++outstanding_;
      ++report_.submitted;
    }
  }
}

void Simulation::Arrive(std::size_t task) {
  work_[task].submitted = now_;
  Offer(task);
}

void Simulation::Offer(std::size_t task) {
  const Work& work = work_[task];
  const Trainer& trainer = TrainerOf(work);
  scheduler_.Add({.id = std::to_string(task),
                  .tenant = trainer.tenant,
                  .run = trainer.run,
                  .priority = trainer.priority,
                  .labels = trainer.labels,
                  .affinity = problems_[work.problem].name,
                  .hold_s = work.expected,
                  .submitted_ms = std::llround(work.submitted * 1e3),
                  .sequence = ++sequence_});
  ChangeWaiting(work.trainer, 1);
}

void Simulation::ChangeWaiting(std::size_t trainer, int change) {
  waiting_[trainer] += change;
  total_waiting_ += change;
  report_.most_waiting = std::max(report_.most_waiting, total_waiting_);
  for (PoolId pool = 0; pool < lanes_.pools(); ++pool) {
    if (Satisfies(lanes_.labels(pool), scenario_.trainers[trainer].labels)) pool_waiting_[pool] += change;
  }
}

void Simulation::Dispatch() {
  const auto began = std::chrono::steady_clock::now();
  const Decisions decisions = scheduler_.Decide(lanes_.views(), std::llround(now_ * 1e3));
  report_.decide_wall_us += std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began).count();
  for (const Decision& decision : decisions.assigned) Start(decision);
}

void Simulation::Start(const Decision& decision) {
  const std::size_t task = std::stoul(decision.task);
  Work& work = work_[task];
  const Trainer& trainer = TrainerOf(work);
  const PoolId pool = lanes_.pool(decision.lane);
  KGYM_CHECK(Satisfies(lanes_.labels(pool), trainer.labels)) << "task " << task;
  ChangeWaiting(work.trainer, -1);
  if (work.attempt++ == 0) progress_[work.trainer].waits.push_back(now_ - work.submitted);
  ++report_.starts;
  report_.warm_starts += decision.warm ? 1 : 0;
  work.started = now_;
  work.charge = decision.charge;
  lanes_.Start(decision.lane, task, problems_[work.problem].key);
  fairness_.Running(pool, trainer.tenant, 1);
  const double hold = work.hold + (decision.warm ? 0 : scenario_.fleet.cold_s);
  At(now_ + hold, Event::kEnd, decision.lane, lanes_.generation(decision.lane));
}

void Simulation::End(std::size_t lane) {
  const std::size_t task = lanes_.End(lane);
  Work& work = work_[task];
  fairness_.Running(lanes_.pool(lane), TrainerOf(work).tenant, -1);
  scheduler_.Settle(work.charge, now_ - work.started);
  ++report_.done;
  Ended(task);
}

void Simulation::Ended(std::size_t task) {
  Work& work = work_[task];
  KGYM_CHECK(!work.ended) << "task " << task << " ended twice.";
  work.ended = true;
  --outstanding_;
  Progress& progress = progress_[work.trainer];
  if (--progress.outstanding > 0) return;
  const Trainer& trainer = TrainerOf(work);
  progress.turns.push_back(now_ - progress.turn_began);
  progress.turn = (progress.turn + 1) % trainer.turns;
  if (progress.turn == 0) ++progress.step;
  At(now_ + (progress.turn == 0 ? trainer.training_s : 0), Event::kTurn, work.trainer);
}

void Simulation::Lose(std::size_t lane, double noticed, double until) {
  const std::size_t task = lanes_.Fail(lane, until);
  At(until, Event::kLaneBack, lane);
  if (task == kNoTask) return;
  fairness_.Running(lanes_.pool(lane), TrainerOf(work_[task]).tenant, -1);
  At(noticed, Event::kRedeliver, task);
}

void Simulation::Redeliver(std::size_t task) {
  Work& work = work_[task];
  scheduler_.Settle(work.charge, now_ - work.started);
  if (work.attempt >= scenario_.attempts) {
    ++report_.dead;
    return Ended(task);
  }
  ++report_.redelivered;
  Offer(task);
}

void Simulation::Sample() {
  for (PoolId pool = 0; pool < lanes_.pools(); ++pool) {
    std::map<std::string, std::int64_t> by_tenant;
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const Trainer& trainer = scenario_.trainers[i];
      if (Satisfies(lanes_.labels(pool), trainer.labels)) by_tenant[trainer.tenant] += waiting_[i];
    }
    std::vector<std::string> tenants;
    for (const auto& [tenant, waiting] : by_tenant) {
      if (waiting > 0) tenants.push_back(tenant);
    }
    fairness_.Sample(pool, tenants);
  }
  if (++samples_ % kSamplesPerWindow == 0) fairness_.EndWindow();
  At(now_ + 1, Event::kSample, 0);
}

void Simulation::Finish() {
  static constexpr const char* kPriorityNames[] = {"low", "normal", "high"};
  std::map<std::string, std::vector<double>> waits, turns;
  for (std::size_t i = 0; i < progress_.size(); ++i) {
    const Trainer& trainer = scenario_.trainers[i];
    const Progress& progress = progress_[i];
    for (const std::string& name :
         {std::string("all"), std::string(kPriorityNames[trainer.priority]), "tenant " + trainer.tenant}) {
      waits[name].insert(waits[name].end(), progress.waits.begin(), progress.waits.end());
    }
    const std::string kind = trainer.groups * trainer.rollouts == 1 ? "one answer" : trainer.tenant;
    turns[kind].insert(turns[kind].end(), progress.turns.begin(), progress.turns.end());
  }
  for (auto& [name, values] : waits) report_.waits[name] = QuantilesOf(std::move(values));
  for (auto& [name, values] : turns) report_.steps[name] = QuantilesOf(std::move(values));
  report_.makespan_s = now_;
  report_.utilisation = busy_area_ / up_area_;
  report_.utilisation_loaded = loaded_up_area_ > 0 ? loaded_busy_area_ / loaded_up_area_ : 1;
  report_.decide_wall_us /= static_cast<double>(std::max<std::int64_t>(report_.starts, 1));
  std::vector<double> indices = fairness_.indices();
  report_.jain_windows = indices.size();
  if (indices.empty()) return;
  double sum = 0;
  for (const double index : indices) sum += index;
  report_.jain_mean = sum / static_cast<double>(indices.size());
  std::ranges::sort(indices);
  report_.jain_low = indices[indices.size() / 20];
}

}  // namespace

Report Simulate(const Scenario& scenario, Scheduler& scheduler) { return Simulation(scenario, scheduler).Run(); }

}  // namespace kgym::service::simulator
