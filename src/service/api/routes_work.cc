// POST /v1/worker/join, leave, lease, extend, complete, hand-back, fail and GET /v1/worker/changes: the queue for
// workers on other machines, one route for each call of WorkQueue and RosterEntry.
#include "base/text.h"
#include "service/api/api.h"
#include "service/api/attendance.h"
#include "service/api/hangup_watch.h"
#include "service/remote/wire.h"

namespace kgym::service {
namespace {

using http::Refusal;
using http::Request;
using http::Response;
using http::Stream;
using http::ToResponse;

constexpr Duration kSaySomething = 10s;
constexpr std::size_t kTasksInALine = 500;
constexpr std::size_t kPileUp = 200'000;  // Tasks that a client may be behind.
constexpr std::size_t kLargestResult = std::size_t{64} << 20;

Awaitable<Response> Join(Api& api, Request& request) {
  const Json& body = request.json;
  const std::int64_t protocol = body["protocol"].get<std::int64_t>();
  if (protocol != kProtocol) {
    const Refusal other{409, "protocol",
                        Concat("field 'protocol': ", protocol, "; this server speaks protocol ", kProtocol),
                        "use a kgym of the server's major version, " + api.version};
    co_return ToResponse(other, request.target);
  }
  Member member{body["name"].get<std::string>(), body["instance"].get<std::string>(), DumpJson(body["view"])};
  if (const Result<WorkerView> view = ReadWorkerView(body["view"]); !view.ok())
    co_return ToResponse({422, "invalid", "field 'view': " + view.error().message}, request.target);
  const std::string name = member.name;
  const Refusal held{409, "name-held", NameHeld(name)};
  if (name == api.crew.own()->name) co_return ToResponse(held, request.target);
  const Result<RosterEntry::Reply> reply = co_await api.crew.roster().Tell(std::move(member));
  if (!reply.ok()) co_return QueueFault(request, reply.error());
  if (reply->answer == RosterEntry::Answer::kNameHeld) co_return ToResponse(held, request.target);
  if (reply->answer == RosterEntry::Answer::kRefused)
    co_return ToResponse(http::RetryLater(503, "too-many-workers", reply->why, 10s), request.target);
  const Json answer = {
      {"protocol", kProtocol}, {"version", api.version}, {"lanes", BuildTargetsJson(api.crew.build_targets())}};
  co_return http::JsonResponse(answer);
}

Awaitable<Response> Leave(Api& api, Request& request) {
  Member member{request.json["name"].get<std::string>(), request.json["instance"].get<std::string>(), ""};
  const Status left = co_await api.crew.roster().Leave(std::move(member));
  if (!left.ok()) co_return QueueFault(request, left.error());
  const Json answer = Json::object();
  co_return http::JsonResponse(answer);
}

/// What the queue says of a request that it does not take, or why it cannot be asked.
Response Fault(const Request& request, const Error& error) {
  const bool theirs = error.message.starts_with("lease:") || error.message.starts_with("worker:");
  if (theirs) return ToResponse({422, "invalid", error.message}, request.target);
  return QueueFault(request, error);
}

Awaitable<Response> Lease(Api& api, Request& request) {
  std::vector<Want> wants;
  for (const Json& want : request.json["wants"])
    wants.push_back({want["id"].get<std::string>(), want["lane"].get<std::string>()});
  const Duration lease = std::chrono::milliseconds(request.json["lease_ms"].get<std::int64_t>());
  std::string worker = request.json["worker"].get<std::string>();
  const Result<std::vector<Task>> leased = co_await api.queue.Lease(std::move(worker), std::move(wants), lease);
  if (!leased.ok()) co_return Fault(request, leased.error());
  const Json answer = {{"tasks", TasksJson(*leased)}};
  co_return http::JsonResponse(answer);
}

Awaitable<Response> Extend(Api& api, Request& request) {
  Result<std::vector<Hold>> holds = ReadHolds(request.json["holds"]);
  if (!holds.ok()) co_return ToResponse({422, "invalid", holds.error().message}, request.target);
  std::string stage = request.json["stage"].get<std::string>();
  const Result<std::vector<Hold>> lost = co_await api.queue.Extend(*std::move(holds), std::move(stage));
  if (!lost.ok()) co_return QueueFault(request, lost.error());
  const Json answer = {{"lost", HoldsJson(*lost)}};
  co_return http::JsonResponse(answer);
}

enum class End { kComplete, kHandBack, kFail };

Awaitable<Response> EndHold(Api& api, Request& request, End end) {
  Result<Hold> hold = ReadHold(request.json);
  if (!hold.ok()) co_return ToResponse({422, "invalid", hold.error().message}, request.target);
  Result<Told> told = Told::kStale;
  if (end == End::kComplete) {
    std::string result = request.json["result"].get<std::string>();
    told = co_await api.queue.Complete(*std::move(hold), std::move(result));
  } else if (end == End::kFail) {
    std::string reason = request.json["reason"].get<std::string>();
    told = co_await api.queue.Fail(*std::move(hold), std::move(reason));
  } else {
    told = co_await api.queue.HandBack(*std::move(hold));
  }
  if (!told.ok()) co_return QueueFault(request, told.error());
  const Json answer = {{"told", Name(*told)}};
  co_return http::JsonResponse(answer);
}

/// What one client has not been sent yet. The subscription's callback may come once more after its end: it holds this.
struct Pile {
  explicit Pile(const Executor& executor) : signal(executor) {}

  void Add(const Changes& changes) {
    if (changes.reset) tasks.clear(), reset = true;
    tasks.insert(tasks.end(), changes.tasks.begin(), changes.tasks.end());
    signal.Raise();
  }

  std::vector<Task> tasks;
  bool reset = false;  // `tasks` begins with all that live.
  http::Signal signal;
};

/// A line for so many tasks; those of a reset say whether more follow.
Awaitable<bool> SendPile(Pile& pile, Stream& stream) {
  const std::vector<Task> tasks = std::exchange(pile.tasks, {});
  const bool reset = std::exchange(pile.reset, false);
  std::size_t begin = 0;
  do {
    const std::size_t end = std::min(begin + kTasksInALine, tasks.size());
    Changes part{.reset = reset,
                 .tasks = {tasks.begin() + static_cast<std::ptrdiff_t>(begin),
                           tasks.begin() + static_cast<std::ptrdiff_t>(end)}};
    Json json = ChangesJson(part);
    if (reset) json["more"] = end < tasks.size();
    std::string line = DumpJson(json) + "\n";
    const bool open = co_await stream.Send(std::move(line));
    if (!open) co_return false;
    begin = end;
  } while (begin < tasks.size());
  co_return true;
}

Awaitable<void> StreamChanges(Api& api, http::Hangup* hangup, Stream& stream) {
  const auto pile = std::make_shared<Pile>(api.executor);
  const HangupWatch client(hangup, pile->signal);
  std::function<void(const Changes&)> add = [pile](const Changes& changes) { pile->Add(changes); };
  const std::unique_ptr<Subscription> subscription = api.queue.Watch(api.executor, std::move(add));
  for (bool open = true; open && !client.gone() && pile->tasks.size() < kPileUp;) {
    const bool raised = co_await pile->signal.WaitUntil(std::chrono::steady_clock::now() + kSaySomething);
    if (raised && (pile->reset || !pile->tasks.empty())) {
      open = co_await SendPile(*pile, stream);
    } else {
      std::string nothing = "\n";
      open = co_await stream.Send(std::move(nothing));
    }
  }
}

Awaitable<Response> FollowChanges(Api& api, Request& request) {
  Response response;
  response.content_type = "application/x-ndjson";
  response.stream = [&api, hangup = request.hangup](Stream& stream) { return StreamChanges(api, hangup, stream); };
  co_return response;
}

Json Text(int longest) { return {{"type", "string"}, {"minLength", 1}, {"maxLength", longest}}; }

/// Without control characters.
Json WorkerName() {
  Json name = Text(200);
  name["pattern"] = "^[^\\x00-\\x1f\\x7f]+$";
  return name;
}

Json Object(Json properties) {
  Json required = Json::array();
  for (const auto& [name, unused] : properties.items()) required.push_back(name);
  return {{"type", "object"},
          {"required", std::move(required)},
          {"additionalProperties", false},
          {"properties", std::move(properties)}};
}

Json HoldProperties() {
  return {{"worker", Text(200)},
          {"id", Text(200)},
          {"attempt", {{"type", "integer"}, {"minimum", 0}, {"maximum", 1'000'000'000}}}};
}

Json ListOf(Json items) { return {{"type", "array"}, {"maxItems", 100'000}, {"items", std::move(items)}}; }

}  // namespace

void AddWorkRoutes(http::Routes& routes, Api& api) {
  const Json object = {{"type", "object"}}, told = Object({{"told", {{"enum", {"stored", "repeated", "stale"}}}}});
  const auto add = [&](const char* name, const char* id, const char* summary, Json body, const Json& answer,
                       http::Handler handler) {
    routes.Add({.method = "POST",
                .path = Concat("/v1/worker/", name),
                .id = id,
                .summary = summary,
                .tag = "workers",
                .scope = http::Scope::kWork,
                .body = std::move(body),
                .body_limit = kLargestResult,
                .answers = {{200, "Done.", answer}, {409, "The protocol is another, or the name is held."}},
                .handler = std::move(handler)});
  };
  const auto end = [&](const char* name, const char* id, const char* summary, End how, const char* text) {
    Json properties = HoldProperties();
    if (text != nullptr) properties[text] = {{"type", "string"}};
    http::Handler handler = [&api, how](Request& request) { return EndHold(api, request, how); };
    add(name, id, summary, Object(std::move(properties)), told, std::move(handler));
  };
  add("join", "joinWorker", "Enter the roster, or say that one is still there; every two seconds.",
      Object({{"name", WorkerName()},
              {"instance", Text(100)},
              {"protocol", {{"type", "integer"}, {"minimum", 0}, {"maximum", 1'000'000}}},
              {"view", object}}),
      object, [&api](Request& request) { return Join(api, request); });
  add("leave", "leaveWorker", "Go off the roster.", Object({{"name", Text(200)}, {"instance", Text(100)}}), object,
      [&api](Request& request) { return Leave(api, request); });
  add("lease", "leaseTasks", "Hold tasks; those that are no longer to be had are not in the answer.",
      Object({{"worker", WorkerName()},
              {"wants", ListOf(Object({{"id", Text(200)}, {"lane", {{"type", "string"}, {"maxLength", 200}}}}))},
              {"lease_ms", {{"type", "integer"}, {"minimum", 100}, {"maximum", 86'400'000}}}}),
      object, [&api](Request& request) { return Lease(api, request); });
  add("extend", "extendLeases", "Keep what is held, and say what is done now; the answer has what is lost.",
      Object({{"holds", ListOf(Object(HoldProperties()))}, {"stage", {{"type", "string"}, {"maxLength", 100}}}}),
      object, [&api](Request& request) { return Extend(api, request); });
  end("complete", "completeTask", "End a task with its result.", End::kComplete, "result");
  end("hand-back", "handBackTask", "Give a task back, no attempt counted.", End::kHandBack, nullptr);
  end("fail", "failTask", "Give up an attempt, and say why.", End::kFail, "reason");
  routes.Add({.method = "GET",
              .path = "/v1/worker/changes",
              .id = "followTasks",
              .summary = "All that are queued or running, then every change: a JSON object a line.",
              .tag = "workers",
              .scope = http::Scope::kWork,
              .answers = {{200, "A stream without an end.", nullptr, "application/x-ndjson"}},
              .handler = [&api](Request& request) { return FollowChanges(api, request); }});
}

}  // namespace kgym::service
