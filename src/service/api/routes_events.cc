// GET /v1/evaluations/{id}/events and GET /v1/events: server-sent events.
#include <boost/asio/steady_timer.hpp>

#include "base/text.h"
#include "service/api/api.h"
#include "service/api/evaluation_json.h"
#include "service/api/event_text.h"
#include "service/api/hangup_watch.h"
#include "service/api/overview.h"

namespace kgym::service {
namespace {

using http::Request;
using http::Response;
using http::Stream;

constexpr Duration kHeartbeatEvery = 30s;
constexpr Duration kPositionEvery = 2s;  // How often a waiting client learns that it has come forward, at most.
constexpr Duration kPictureEvery = 1s;   // How often the whole is drawn again, at most.

Instant Now() { return std::chrono::steady_clock::now(); }

/// Watches the feed for as long as it lives.
class FeedWatch {
 public:
  FeedWatch(Feed& feed, http::Signal& signal) : feed_(feed), signal_(signal) { feed_.Watch(&signal_); }
  ~FeedWatch() { feed_.Unwatch(&signal_); }

 private:
  Feed& feed_;
  http::Signal& signal_;
};

/// The name of what a change says: queued, running or its stage, done, cancelled, dead.
std::string EventName(const Task& task) {
  if (task.state == TaskState::kRunning && !task.stage.empty()) return task.stage;
  return std::string(Name(task.state));
}

Json StepJson(const Api& api, const Task& task) {
  Json step = {{"id", task.spec.id}, {"state", Name(task.state)}, {"at", TimeJson(api.clock.NowMs())}};
  if (task.state == TaskState::kQueued) {
    const std::optional<std::int64_t> position = api.feed.Position(task);
    step["position"] = position ? Json(*position) : Json(nullptr);
    if (!task.attached_to.empty()) step["attached_to"] = task.attached_to;
    if (const std::string why = api.crew.WhyItWaits(task); !why.empty()) step["waits_for"] = why;
  } else if (task.state == TaskState::kRunning) {
    step["stage"] = task.stage;
    step["lane"] = task.lane;
    step["worker"] = task.worker;
  }
  step["attempt"] = task.attempt;
  return step;
}

/// One client's view of one evaluation. Sends what changes, and ends with the evaluation.
class EvaluationStream {
 public:
  EvaluationStream(Api& api, Task task, http::Hangup* hangup)
      : api_(api),
        id_(task.spec.id),
        signal_(api.executor),
        follower_(std::make_unique<Follower>(api.feed, id_, signal_)),
        hangup_(hangup) {}

  Awaitable<void> Run(Stream& stream) {
    const HangupWatch client(hangup_, signal_);
    bool open = co_await Begin(stream);
    while (open && !client.gone()) {
      const Instant until = Now() + (queued_ ? kPositionEvery : kHeartbeatEvery);
      const bool raised = co_await signal_.WaitUntil(until);
      if (raised) {
        open = co_await SendChanges(stream);
      } else {
        open = co_await SendQuiet(stream);
      }
    }
  }

 private:
  /// As it is now: changes from here on are in the follower, which is older than this look.
  Awaitable<bool> Begin(Stream& stream) {
    Result<std::optional<Task>> now = co_await api_.queue.Get(id_);
    if (!now.ok() || !*now) co_return false;
    follower_->lost = false;
    co_return co_await Tell(stream, **now);
  }

  Awaitable<bool> SendChanges(Stream& stream) {
    if (follower_->lost) {
      follower_->changes.clear();
      co_return co_await Begin(stream);
    }
    while (!follower_->changes.empty()) {
      const Task change = std::move(follower_->changes.front());
      follower_->changes.pop_front();
      const bool open = co_await Tell(stream, change);
      if (!open) co_return false;
    }
    co_return true;
  }

  /// Nothing happened to it: perhaps it has come forward, or what it waits for has gone or come.
  Awaitable<bool> SendQuiet(Stream& stream) {
    const auto live = api_.feed.live().find(id_);
    const bool here = queued_ && live != api_.feed.live().end();
    if (here && (api_.feed.Position(live->second) != position_ || api_.crew.WhyItWaits(live->second) != waits_for_)) {
      const Task task = live->second;
      co_return co_await Tell(stream, task);
    }
    if (Now() - last_sent_ < kHeartbeatEvery) co_return true;
    last_sent_ = Now();
    std::string heartbeat(kHeartbeat);
    co_return co_await stream.Send(std::move(heartbeat));
  }

  Awaitable<bool> Tell(Stream& stream, const Task& task) {
    if (Ended(task.state)) {
      co_await TellEnd(stream);
      co_return false;
    }
    queued_ = task.state == TaskState::kQueued;
    position_ = api_.feed.Position(task);
    waits_for_ = api_.crew.WhyItWaits(task);
    const Json step = StepJson(api_, task);
    Json without_time = step;
    without_time.erase("at");
    if (std::string text = DumpJson(without_time); text == last_) {
      co_return true;
    } else {
      last_ = std::move(text);
    }
    last_sent_ = Now();
    std::string event = EventText(EventName(task), DumpJson(step));
    co_return co_await stream.Send(std::move(event));
  }

  Awaitable<void> TellEnd(Stream& stream) {
    const Result<std::shared_ptr<const TaskEnd>> end = co_await api_.ends.Read(id_);
    if (!end.ok() || !*end) co_return;
    std::string event = EventText(Name((*end)->task.state), (*end)->json);
    co_await stream.Send(std::move(event));
  }

  Api& api_;
  std::string id_;
  http::Signal signal_;
  std::unique_ptr<Follower> follower_;
  http::Hangup* hangup_;
  bool queued_ = false;
  std::optional<std::int64_t> position_;
  std::string waits_for_;
  std::string last_;
  Instant last_sent_ = Now();
};

Awaitable<void> StreamEvaluation(Api& api, Task task, http::Hangup* hangup, Stream& stream) {
  EvaluationStream run(api, std::move(task), hangup);
  co_await run.Run(stream);
}

Response EventStream(std::function<Awaitable<void>(Stream&)> stream) {
  Response response;
  response.content_type = kEventStream;
  response.stream = std::move(stream);
  return response;
}

Awaitable<Response> EvaluationEvents(Api& api, Request& request) {
  FoundTask found = co_await FindTask(api, request);
  if (found.refused) co_return *std::move(found.refused);
  Task task = *std::move(found.task);
  task.spec.payload.clear();
  co_return EventStream([&api, task = std::move(task), hangup = request.hangup](Stream& stream) {
    return StreamEvaluation(api, task, hangup, stream);
  });
}

/// Draws the whole whenever something has changed, but never more often than the eye needs.
Awaitable<void> StreamOverview(Api& api, std::string tenant, http::Hangup* hangup, Stream& stream) {
  http::Signal signal(api.executor);
  const HangupWatch client(hangup, signal);
  const FeedWatch watch(api.feed, signal);
  for (bool open = true; open && !client.gone();) {
    const Instant drawn = Now();
    std::string event = EventText("overview", DumpJson(Overview(api, tenant)));
    open = co_await stream.Send(std::move(event));
    const bool changed = co_await signal.WaitUntil(drawn + kHeartbeatEvery);
    if (!changed || client.gone()) continue;
    boost::asio::steady_timer pause(api.executor, drawn + kPictureEvery);
    co_await pause.async_wait(boost::asio::use_awaitable);
  }
}

Awaitable<Response> OverviewEvents(Api& api, Request& request) {
  co_return EventStream([&api, tenant = TenantOf(request), hangup = request.hangup](Stream& stream) {
    return StreamOverview(api, tenant, hangup, stream);
  });
}

Awaitable<Response> OverviewOnce(Api& api, Request& request) {
  co_return http::JsonResponse(Overview(api, TenantOf(request)));
}

}  // namespace

void AddEventRoutes(http::Routes& routes, Api& api) {
  const Json events = nullptr;  // JSON Schema has no words for a stream.
  routes.Add({.method = "GET",
              .path = "/v1/evaluations/{id}/events",
              .id = "followEvaluation",
              .summary = "Its progress as server-sent events: queued (with its position), a stage while it runs "
                         "(building, checking, timing), and done, cancelled or dead, which is the whole evaluation.",
              .tag = "evaluations",
              .in_path = {IdParameter()},
              .answers = {{200, "A stream that ends with the evaluation.", events, kEventStream},
                          {404, "It is not known, or not yours."}},
              .handler = [&api](Request& request) { return EvaluationEvents(api, request); }});
  routes.Add({.method = "GET",
              .path = "/v1/events",
              .id = "followOverview",
              .summary = "The overview as server-sent events, at most one a second.",
              .tag = "status",
              .answers = {{200, "A stream without an end.", events, kEventStream}},
              .handler = [&api](Request& request) { return OverviewEvents(api, request); }});
  routes.Add({.method = "GET",
              .path = "/v1/overview",
              .id = "getOverview",
              .summary = "Queue, lanes, what runs, throughput, outcomes and what ended last.",
              .tag = "status",
              .answers = {{200, "As it is now.", Json{{"type", "object"}}}},
              .handler = [&api](Request& request) { return OverviewOnce(api, request); }});
}

}  // namespace kgym::service
