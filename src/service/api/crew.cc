#include "service/api/crew.h"

#include <algorithm>

#include "base/log.h"
#include "base/text.h"
#include "service/api/attendance.h"

namespace kgym::service {
namespace {

constexpr Duration kLookEvery = 1s;
constexpr std::size_t kLanesNamed = 5;

/// Rather than only build for those who do.
bool Judges(const WorkerView::Lane& lane) {
  const auto device = lane.info.labels.find("device");
  return device == lane.info.labels.end() || device->second != kBuildDevice;
}

bool Works(const SharedWorkerView& worker) {
  return worker->state == WorkerView::State::kReady && std::ranges::any_of(worker->lanes, Judges);
}

/// Of each backend that the lane's device could run: what its machine lacks for it.
void NoteLacking(const WorkerView& worker, const WorkerView::Lane& lane, std::map<std::string, std::string>& lacking) {
  const auto backends = lane.info.facts.find("backends");
  if (backends == lane.info.facts.end() || !backends->is_object()) return;
  for (const auto& [name, facts] : backends->items()) {
    if (!facts.is_object() || !facts.value("runs", false)) continue;
    const Json missing = facts.value("missing", Json::array());
    if (!missing.empty()) lacking[name] = Concat(lane.info.name, " of ", worker.name, " lacks ", DumpJson(missing));
  }
}

std::string TextOf(const Labels& labels) {
  std::vector<std::string> words;
  for (const auto& [name, value] : labels) words.push_back(Concat(name, "=", value));
  return Join(words, ", ");
}

}  // namespace

std::vector<SharedWorkerView> Crew::workers() const {
  std::vector<SharedWorkerView> all;
  if (SharedWorkerView own = own_(); !own->lanes.empty() || own->state != WorkerView::State::kReady)
    all.push_back(std::move(own));
  all.insert(all.end(), others_.begin(), others_.end());
  return all;
}

bool Crew::ready() const { return std::ranges::any_of(workers(), Works); }

std::string Crew::WhyItWaits(const Task& task) const {
  if (offer_.open || task.state != TaskState::kQueued || !task.attached_to.empty()) return "";
  if (offer_.lanes.empty()) return "no worker with lanes is there; it waits for one";
  std::string fault;
  for (const auto& [lane, out_of_use] : offer_.lanes) {
    if (!Satisfies(lane, task.spec.labels)) continue;
    if (out_of_use.empty()) return "";
    fault = out_of_use;
  }
  if (!fault.empty()) return Concat("each lane that it could run on is out of use (", fault, "); it waits for one");
  return Concat(WhatIsMissing(task.spec.labels), ". It waits for a worker that has it");
}

std::string Crew::WhatIsMissing(const Labels& wanted) const {
  Labels missing;  // From all lanes; where there is nothing, no single one has everything.
  for (const auto& one : wanted) {
    const auto has = [&](const auto& lane) { return Satisfies(lane.first, {one}); };
    if (std::ranges::none_of(offer_.lanes, has)) missing.insert(one);
  }
  std::vector<std::string> there;
  std::vector<std::string> backends;
  for (const auto& [lane, unused] : offer_.lanes) {
    if (there.size() < kLanesNamed) there.push_back(TextOf(lane));
    if (const auto found = lane.find(kBackendLabel); found != lane.end())
      std::ranges::copy(Split(found->second, '|'), std::back_inserter(backends));
  }
  std::string hint;
  if (const auto backend = missing.find(kBackendLabel); backend != missing.end()) {
    const auto lacking = offer_.lacking.find(backend->second);
    hint = lacking != offer_.lacking.end() ? Concat(" (", lacking->second, ")") : DidYouMean(backend->second, backends);
  }
  return Concat("no lane has ", TextOf(missing.empty() ? wanted : missing), hint, "; there are: ", Join(there, "; "));
}

Awaitable<void> Crew::Follow() {
  for (bool lost = false;;) {
    const Result<std::vector<Member>> members = co_await roster_.Members();
    if (!members.ok() && !lost) LogWarning("the roster of workers cannot be read: " + members.error().message);
    lost = !members.ok();
    if (members.ok()) Enter(*members);
    offer_ = OfferNow();
    co_await SleepFor(kLookEvery);
  }
}

void Crew::Enter(const std::vector<Member>& members) {
  std::string said;
  for (const Member& member : members) said += member.name + member.text;
  if (said == last_) return;
  last_ = std::move(said);
  others_.clear();
  const std::string own = own_()->name;
  for (const Member& member : members) {
    if (member.name == own) continue;
    if (SharedWorkerView view = ViewOf(member); view != nullptr) others_.push_back(std::move(view));
  }
  feed_.Touch();
}

Crew::Offer Crew::OfferNow() const {
  Offer offer{.open = false, .lanes = {}, .lacking = {}, .build_targets = {}};
  for (const SharedWorkerView& worker : workers()) {
    if (worker->state == WorkerView::State::kStarting) offer.open = true;
    if (!Works(worker)) continue;
    for (const WorkerView::Lane& lane : worker->lanes) {
      if (!Judges(lane)) continue;
      const std::string fault =
          lane.fault.empty() ? "" : Concat(lane.info.name, " of ", worker->name, ": ", lane.fault);
      const auto [known, is_new] = offer.lanes.emplace(lane.info.labels, fault);
      if (!is_new && fault.empty()) known->second.clear();
      NoteLacking(*worker, lane, offer.lacking);
      if (const auto mark = lane.info.facts.find("builds"); mark != lane.info.facts.end() && mark->is_string())
        offer.build_targets.emplace(lane.info.labels, mark->get<std::string>());
    }
  }
  return offer;
}

}  // namespace kgym::service
