#include "service/remote/remote_queue.h"

#include <algorithm>

#include "base/log.h"
#include "base/text.h"
#include "service/http/signal.h"
#include "service/remote/wire.h"

namespace kgym::service {
namespace {

constexpr Duration kAnswer = 60s;  // A call without an answer for so long is lost.
constexpr Duration kSilent = 45s;  // The stream says something every few seconds.
constexpr Duration kFirstPause = 200ms, kLastPause = 5s;

/// One subscription's coroutine, which outlives the subscription by a moment.
class Watcher : public std::enable_shared_from_this<Watcher> {
 public:
  Watcher(http::Client& client, std::function<void(const Changes&)> callback)
      : client_(client),
        callback_(std::move(callback)),
        reading_(std::make_shared<http::Client::Reading>()),
        pause_(client.executor()) {}

  void Begin() { Spawn(client_.executor(), Serve(shared_from_this())); }

  void End() {
    ended_ = true;
    reading_->end();
    pause_.Raise();
  }

 private:
  Awaitable<void> Serve(std::shared_ptr<Watcher> self) {
    Duration pause = kFirstPause;
    for (std::string told; !ended_;) {
      heard_ = false;
      std::function<bool(std::string_view)> line = [self](std::string_view text) { return self->OnLine(text); };
      const Status done = co_await client_.Follow("/v1/worker/changes", kSilent, reading_, std::move(line));
      if (ended_) break;
      const std::string why = done.ok() ? fault_ : done.error().message;
      if (heard_) pause = kFirstPause, told.clear();
      if (why != told) LogWarning("queue: its changes are followed anew: " + why);
      told = why;
      co_await pause_.WaitUntil(std::chrono::steady_clock::now() + pause);
      pause = std::min(2 * pause, kLastPause);
    }
  }

  /// All that live may come in several lines; it is told as one.
  bool OnLine(std::string_view text) {
    if (ended_) return false;
    Result<Json> json = ParseJson(text, "a change");
    Result<Changes> changes = json.ok() ? ReadChanges(*json) : Result<Changes>(json.error());
    if (!changes.ok()) {
      fault_ = changes.error().message;
      return false;
    }
    heard_ = true;
    if (changes->reset) {
      std::ranges::move(changes->tasks, std::back_inserter(whole_.tasks));
      if (json->value("more", false)) return true;
      whole_.reset = true;
      const Changes whole = std::exchange(whole_, {});
      callback_(whole);
      return !ended_;
    }
    callback_(*changes);
    return !ended_;
  }

  http::Client& client_;
  std::function<void(const Changes&)> callback_;
  std::shared_ptr<http::Client::Reading> reading_;
  http::Signal pause_;
  Changes whole_;
  std::string fault_;
  bool heard_ = false;
  bool ended_ = false;
};

class RemoteSubscription final : public Subscription {
 public:
  explicit RemoteSubscription(std::shared_ptr<Watcher> watcher) : watcher_(std::move(watcher)) {}
  ~RemoteSubscription() override { watcher_->End(); }

 private:
  std::shared_ptr<Watcher> watcher_;
};

}  // namespace

Awaitable<Result<std::vector<Task>>> RemoteQueue::Lease(std::string worker, std::vector<Want> wants, Duration lease) {
  Json list = Json::array();
  for (const Want& want : wants) list.push_back({{"id", want.id}, {"lane", want.lane}});
  Json body = {{"worker", worker}, {"wants", std::move(list)}, {"lease_ms", lease / 1ms}};
  KGYM_CO_TRY(const Json answer, co_await Ask("/v1/worker/lease", std::move(body)));
  KGYM_CO_TRY(const Json* tasks, GetArray(answer, "tasks"));
  co_return ReadTasks(*tasks);
}

Awaitable<Result<std::vector<Hold>>> RemoteQueue::Extend(std::vector<Hold> holds, std::string stage) {
  Json body = {{"holds", HoldsJson(holds)}, {"stage", stage}};
  KGYM_CO_TRY(const Json answer, co_await Ask("/v1/worker/extend", std::move(body)));
  KGYM_CO_TRY(const Json* lost, GetArray(answer, "lost"));
  co_return ReadHolds(*lost);
}

Awaitable<Result<Told>> RemoteQueue::Complete(Hold hold, std::string result) {
  const std::size_t size = result.size();
  KGYM_CO_TRY(const Told told, co_await Tell("/v1/worker/complete", hold, "result", std::move(result)));
  if (told != Told::kRefused) co_return told;
  std::string reason = Concat("the server refuses its result of ", FormatBytes(size));
  co_return co_await Fail(std::move(hold), std::move(reason));
}

Awaitable<Result<Told>> RemoteQueue::HandBack(Hold hold) {
  return Tell("/v1/worker/hand-back", std::move(hold), nullptr, "");
}

Awaitable<Result<Told>> RemoteQueue::Fail(Hold hold, std::string reason) {
  return Tell("/v1/worker/fail", std::move(hold), "reason", std::move(reason));
}

std::unique_ptr<Subscription> RemoteQueue::Watch(Executor, std::function<void(const Changes&)> callback) {
  auto watcher = std::make_shared<Watcher>(client_, std::move(callback));
  watcher->Begin();
  return std::make_unique<RemoteSubscription>(std::move(watcher));
}

Awaitable<Result<Told>> RemoteQueue::Tell(std::string path, Hold hold, const char* field, std::string text) {
  Json body = HoldJson(hold);
  if (field != nullptr) body[field] = std::move(text);
  KGYM_CO_TRY(const http::ClientReply reply, co_await Send(path, std::move(body)));
  if (reply.ok()) co_return ReadTold(reply.json);
  if (reply.Passing()) co_return Refused(path, reply);
  LogWarning(Concat("the end of ", hold.id, " is refused for good, and dropped: ", Refused(path, reply).message));
  co_return Told::kRefused;
}

Awaitable<Result<Json>> RemoteQueue::Ask(std::string path, Json body) {
  KGYM_CO_TRY(http::ClientReply reply, co_await Send(path, std::move(body)));
  if (!reply.ok()) co_return Refused(path, reply);
  co_return std::move(reply.json);
}

Awaitable<Result<http::ClientReply>> RemoteQueue::Send(std::string path, Json body) {
  retry_after_ = Duration(0);
  KGYM_CO_TRY(http::ClientReply reply, co_await client_.Post(std::move(path), std::move(body), kAnswer));
  retry_after_ = reply.retry_after.value_or(Duration(0));
  co_return reply;
}

Error RemoteQueue::Refused(const std::string& path, const http::ClientReply& reply) const {
  return Error{Concat(client_.url().Text(), path, ": ", reply.status, ": ", reply.Detail())};
}

}  // namespace kgym::service
