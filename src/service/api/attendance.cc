#include "service/api/attendance.h"

#include "base/ids.h"
#include "base/log.h"
#include "base/text.h"

namespace kgym::service {
namespace {

constexpr Duration kJoinAgain = 500ms;
constexpr Duration kJoinFor = kSilence + 2s;

Instant Clock() { return std::chrono::steady_clock::now(); }

}  // namespace

Attendance::Attendance(Executor executor, RosterEntry& roster, std::function<SharedWorkerView()> view,
                       std::function<void(const std::string& lanes)> heard)
    : roster_(roster), view_(std::move(view)), heard_(std::move(heard)), instance_(RandomHex(8)), leaving_(executor) {}

Awaitable<Status> Attendance::Join() {
  for (const Instant until = Clock() + kJoinFor;;) {
    KGYM_CO_TRY(const RosterEntry::Reply reply, co_await roster_.Tell(Now()));
    if (reply.answer == RosterEntry::Answer::kTaken) co_return Ok();
    if (reply.answer == RosterEntry::Answer::kRefused || Clock() > until) co_return Error{reply.why};
    co_await leaving_.WaitUntil(Clock() + kJoinAgain);
    if (given_up_) co_return Error{"it was ended before it had joined"};
  }
}

Awaitable<Status> Attendance::Keep() {
  bool lost = false;
  while (!left_) {
    co_await leaving_.WaitUntil(Clock() + kTellEvery);
    if (left_) break;
    const Result<RosterEntry::Reply> reply = co_await roster_.Tell(Now());
    if (!reply.ok() && !lost) LogWarning("lost sight of the queue, which is waited for: " + reply.error().message);
    if (reply.ok() && lost) LogInfo("joined again");
    lost = !reply.ok();
    if (reply.ok() && heard_) heard_(reply->lanes);
    if (reply.ok() && reply->answer == RosterEntry::Answer::kRefused) co_return Error{reply->why};
    if (reply.ok() && reply->answer == RosterEntry::Answer::kNameHeld) LogWarning(reply->why);
  }
  const Status gone = co_await roster_.Leave(Now());
  if (!gone.ok()) LogInfo("the roster could not be told that this worker goes: " + gone.error().message);
  co_return Ok();
}

void Attendance::GiveUp() {
  given_up_ = true;
  leaving_.Raise();
}

void Attendance::Leave() {
  left_ = true;
  leaving_.Raise();
}

Member Attendance::Now() const {
  const SharedWorkerView view = view_();
  return {view->name, instance_, DumpJson(WorkerViewJson(*view))};
}

SharedWorkerView ViewOf(const Member& member) {
  const Result<Json> json = ParseJson(member.text, Concat("worker ", member.name));
  if (!json.ok()) return nullptr;
  Result<WorkerView> view = ReadWorkerView(*json);
  if (!view.ok()) return nullptr;
  view->name = member.name;
  return std::make_shared<const WorkerView>(*std::move(view));
}

}  // namespace kgym::service
