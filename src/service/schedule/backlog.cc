#include "service/schedule/backlog.h"

#include <algorithm>

#include "base/check.h"

namespace kgym::service {

Backlog::Backlog(Policy policy) : policy_(std::move(policy)) {}

bool Backlog::Add(Waiting task) {
  if (entries_.contains(task.id)) return false;
  const std::string id = task.id;
  const Place place{DueOf(policy_, task), task.sequence};
  const DemandId demand = DemandFor(task.labels);
  const Entry& entry = entries_.emplace(id, Entry{std::move(task), place, demand}).first->second;
  Insert(entry);
  for (Pool& pool : pools_) Enter(pool, entry);
  return true;
}

bool Backlog::Remove(const std::string& id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return false;
  for (Pool& pool : pools_) Leave(pool, found->second);
  Erase(found->second);
  entries_.erase(found);
  return true;
}

void Backlog::Clear() {
  while (!entries_.empty()) Remove(std::string(entries_.begin()->first));
}

PoolId Backlog::PoolFor(const Labels& labels) {
  const auto known = std::ranges::find(pools_, labels, &Pool::labels);
  if (known != pools_.end()) return static_cast<PoolId>(known - pools_.begin());

  Pool& pool = pools_.emplace_back();
  pool.labels = labels;
  for (const Demand& demand : demands_) pool.serves.push_back(Satisfies(labels, demand.wanted));
  for (const auto& [id, entry] : entries_) Enter(pool, entry);
  return pools_.size() - 1;
}

std::size_t Backlog::Breadth(PoolId pool) const {
  std::size_t breadth = 0;
  for (DemandId demand = 0; demand < demands_.size(); ++demand) {
    if (demands_[demand].waiting > 0 && pools_.at(pool).serves[demand]) ++breadth;
  }
  return breadth;
}

bool Backlog::Servable(const Labels& wanted) const {
  return std::ranges::any_of(pools_, [&](const Pool& pool) { return Satisfies(pool.labels, wanted); });
}

const Waiting* Backlog::Next(PoolId id) const {
  const Pool& pool = pools_.at(id);
  if (pool.tenants.empty()) return nullptr;
  const Entry* first = nullptr;
  for (const auto& [demand, flow] : NextRun(pool)) {
    if (!pool.serves[demand]) continue;
    const Entry* head = flow.by_due.begin()->second;
    if (first == nullptr || head->place < first->place) first = head;
  }
  KGYM_CHECK(first != nullptr);
  return &first->task;
}

const Waiting* Backlog::NextWarm(PoolId id, std::span<const std::uint64_t> warm) const {
  const Waiting* next = Next(id);
  if (next == nullptr || warm.empty()) return nullptr;
  const Pool& pool = pools_.at(id);
  const std::int64_t slack_ms = policy_.affinity_slack / 1ms;
  const std::int64_t latest_ms = entries_.at(next->id).place.due_ms + slack_ms;
  const Entry* best = nullptr;
  for (const auto& [demand, flow] : NextRun(pool)) {
    if (!pool.serves[demand]) continue;
    for (const std::uint64_t problem : warm) {
      const auto found = flow.by_affinity.find(problem);
      if (found == flow.by_affinity.end()) continue;
      const Entry* head = found->second.begin()->second;
      if (head->place.due_ms <= latest_ms && (best == nullptr || head->place < best->place)) best = head;
    }
  }
  return best == nullptr ? nullptr : &best->task;
}

Charge Backlog::Take(PoolId id, const std::string& task_id) {
  const Waiting& task = entries_.at(task_id).task;
  Charge charge{id, task.tenant, task.run, HoldOf(policy_, task), PriceOf(policy_, task)};
  Pool& pool = pools_.at(id);
  pool.tenants.Charge(charge.tenant, charge.seconds / WeightOf(policy_, charge.tenant));
  pool.runs.at(charge.tenant).Charge(charge.run, charge.seconds * charge.price);
  Remove(task_id);
  return charge;
}

void Backlog::Settle(const Charge& charge, double held_s) {
  Pool& pool = pools_.at(charge.pool);
  const double difference = held_s - charge.seconds;
  pool.tenants.Correct(charge.tenant, difference / WeightOf(policy_, charge.tenant));
  const auto runs = pool.runs.find(charge.tenant);
  if (runs != pool.runs.end()) runs->second.Correct(charge.run, difference * charge.price);
}

std::vector<std::string> Backlog::TakeExpired(std::int64_t now_ms) {
  std::vector<std::string> expired;
  while (!deadlines_.empty() && deadlines_.begin()->first <= now_ms) {
    expired.push_back(deadlines_.begin()->second);
    Remove(expired.back());
  }
  return expired;
}

Backlog::DemandId Backlog::DemandFor(const Labels& wanted) {
  auto place = std::ranges::find(demands_, wanted, &Demand::wanted);
  if (place == demands_.end()) {
    place = std::ranges::find(demands_, 0u, &Demand::waiting);
    if (place == demands_.end()) place = demands_.insert(demands_.end(), Demand{});
    place->wanted = wanted;
  }
  const auto demand = static_cast<DemandId>(place - demands_.begin());
  for (Pool& pool : pools_) {
    pool.serves.resize(demands_.size());
    pool.serves[demand] = Satisfies(pool.labels, wanted);
  }
  return demand;
}

const Backlog::Run& Backlog::NextRun(const Pool& pool) const {
  const std::string& tenant = pool.tenants.First();
  return tenants_.at(tenant).at(pool.runs.at(tenant).First());
}

void Backlog::Enter(Pool& pool, const Entry& entry) {
  if (!pool.serves[entry.demand]) return;
  pool.tenants.Enter(entry.task.tenant);
  pool.runs[entry.task.tenant].Enter(entry.task.run);
}

void Backlog::Leave(Pool& pool, const Entry& entry) {
  if (!pool.serves[entry.demand]) return;
  const auto runs = pool.runs.find(entry.task.tenant);
  runs->second.Leave(entry.task.run);
  if (runs->second.empty()) pool.runs.erase(runs);
  pool.tenants.Leave(entry.task.tenant);
}

void Backlog::Insert(const Entry& entry) {
  ++demands_[entry.demand].waiting;
  Flow& flow = tenants_[entry.task.tenant][entry.task.run][entry.demand];
  flow.by_due.emplace(entry.place, &entry);
  if (!entry.task.affinity.empty()) flow.by_affinity[AffinityKey(entry.task.affinity)].emplace(entry.place, &entry);
  if (entry.task.deadline_ms != 0) deadlines_.emplace(entry.task.deadline_ms, entry.task.id);
}

void Backlog::Erase(const Entry& entry) {
  --demands_[entry.demand].waiting;
  const auto tenant = tenants_.find(entry.task.tenant);
  const auto run = tenant->second.find(entry.task.run);
  const auto flow = run->second.find(entry.demand);
  flow->second.by_due.erase(entry.place);
  if (!entry.task.affinity.empty()) {
    const auto problem = flow->second.by_affinity.find(AffinityKey(entry.task.affinity));
    problem->second.erase(entry.place);
    if (problem->second.empty()) flow->second.by_affinity.erase(problem);
  }
  if (entry.task.deadline_ms != 0) deadlines_.erase({entry.task.deadline_ms, entry.task.id});
  if (!flow->second.by_due.empty()) return;
  run->second.erase(flow);
  if (!run->second.empty()) return;
  tenant->second.erase(run);
  if (tenant->second.empty()) tenants_.erase(tenant);
}

}  // namespace kgym::service
