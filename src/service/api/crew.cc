#include "service/api/crew.h"

#include <algorithm>

#include "base/log.h"
#include "base/text.h"
#include "service/api/attendance.h"

namespace kgym::service {
namespace {

constexpr Duration kLookEvery = 1s;
constexpr std::size_t kLanesNamed = 5;

bool Works(const SharedWorkerView& worker) {
  return worker->state == WorkerView::State::kReady && !worker->lanes.empty();
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
  std::vector<std::string> there;
  for (const Labels& lane : offer_.lanes) {
    if (Satisfies(lane, task.spec.labels)) return "";
    if (there.size() < kLanesNamed) there.push_back(TextOf(lane));
  }
  return Concat("no lane has ", TextOf(task.spec.labels), "; there are: ", Join(there, "; "),
                ". It waits for a worker that has it");
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
  Offer offer{.open = false, .lanes = {}};
  for (const SharedWorkerView& worker : workers()) {
    if (worker->state == WorkerView::State::kStarting) offer.open = true;
    if (!Works(worker)) continue;
    for (const WorkerView::Lane& lane : worker->lanes) offer.lanes.insert(lane.info.labels);
  }
  return offer;
}

}  // namespace kgym::service
