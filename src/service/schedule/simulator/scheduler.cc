#include "service/schedule/simulator/scheduler.h"

#include <algorithm>

namespace kgym::service::simulator {
namespace {

class Fair final : public Scheduler {
 public:
  explicit Fair(Policy policy) : backlog_(std::move(policy)) {}

  std::string_view name() const override { return "kgym"; }
  PoolId PoolFor(const Labels& labels) override { return backlog_.PoolFor(labels); }
  void Add(Waiting task) override { backlog_.Add(std::move(task)); }
  Decisions Decide(std::span<const LaneView> lanes, std::int64_t now_ms) override {
    return service::Decide(backlog_, lanes, now_ms);
  }
  void Settle(const Charge& charge, double held_s) override { backlog_.Settle(charge, held_s); }

 private:
  Backlog backlog_;
};

class Fifo final : public Scheduler {
 public:
  std::string_view name() const override { return "fifo"; }

  PoolId PoolFor(const Labels& labels) override {
    const auto known = std::ranges::find(pools_, labels);
    if (known != pools_.end()) return static_cast<PoolId>(known - pools_.begin());
    pools_.push_back(labels);
    return pools_.size() - 1;
  }

  void Add(Waiting task) override {
    const std::uint64_t sequence = task.sequence;
    waiting_[task.labels].emplace(sequence, std::move(task));
  }

  Decisions Decide(std::span<const LaneView> lanes, std::int64_t) override {
    Decisions decisions;
    for (std::size_t index = 0; index < lanes.size(); ++index) {
      for (int slot = 0; slot < lanes[index].free; ++slot) {
        std::map<std::uint64_t, Waiting>* oldest = Oldest(pools_[lanes[index].pool]);
        if (oldest == nullptr) break;
        const Waiting& task = oldest->begin()->second;
        const bool warm = std::ranges::binary_search(lanes[index].warm, AffinityKey(task.affinity));
        decisions.assigned.push_back({task.id, index, warm, {}});
        oldest->erase(oldest->begin());
      }
    }
    return decisions;
  }

  void Settle(const Charge&, double) override {}

 private:
  std::map<std::uint64_t, Waiting>* Oldest(const Labels& lane) {
    std::map<std::uint64_t, Waiting>* oldest = nullptr;
    for (auto& [wanted, tasks] : waiting_) {
      if (tasks.empty() || !Satisfies(lane, wanted)) continue;
      if (oldest == nullptr || tasks.begin()->first < oldest->begin()->first) oldest = &tasks;
    }
    return oldest;
  }

  std::vector<Labels> pools_;
  std::map<Labels, std::map<std::uint64_t, Waiting>> waiting_;  // By acceptance.
};

}  // namespace

std::unique_ptr<Scheduler> FairScheduler(Policy policy) { return std::make_unique<Fair>(std::move(policy)); }
std::unique_ptr<Scheduler> FifoScheduler() { return std::make_unique<Fifo>(); }

}  // namespace kgym::service::simulator
