// /worker/*, /workers/status, /node/allocate.
#include <optional>

#include "base/clock.h"
#include "base/text.h"
#include "service/compat/routes.h"

namespace kgym::service::kernelgym {
namespace {

using http::Request;
using http::Response;

Response Missing(const char* name) {
  return Invalid(Concat("[{'loc': ('query', '", name, "'), 'msg': 'Field required'}]"));
}

/// Nothing where it is missing; it may be empty.
std::optional<std::string> Given(const Request& request, const char* name) {
  const auto found = request.query.find(name);
  return found == request.query.end() ? std::nullopt : std::optional(found->second);
}

Registered FromQuery(const Request& request) {
  return {.device = request.QueryText("device"),
          .last_heartbeat = WallTime(),
          .node_id = request.QueryText("node_id"),
          .hostname = request.QueryText("hostname")};
}

Json Success(const std::string& message) { return {{"success", true}, {"message", message}}; }

Awaitable<Response> RegisterWorker(Front& front, Request& request) {
  const std::optional<std::string> id = Given(request, "worker_id");
  if (!id) co_return Missing("worker_id");
  if (!Given(request, "device")) co_return Missing("device");
  Registered worker = FromQuery(request);
  Json answer = Success(Concat("Worker ", *id, " registered"));
  answer["node_id"] = worker.node_id;
  front.book.Register(*id, std::move(worker));
  co_return http::JsonResponse(answer);
}

Awaitable<Response> UnregisterWorker(Front& front, Request& request) {
  const std::optional<std::string> id = Given(request, "worker_id");
  if (!id) co_return Missing("worker_id");
  front.book.Unregister(*id);
  co_return http::JsonResponse(Success(Concat("Worker ", *id, " unregistered")));
}

Awaitable<Response> HeartbeatOfWorker(Front& front, Request& request) {
  const std::optional<std::string> id = Given(request, "worker_id");
  if (!id) co_return Missing("worker_id");
  const Status told = front.book.Heartbeat(*id, FromQuery(request));
  if (!told.ok()) co_return Detail(409, told.error().message);
  co_return http::JsonResponse(Success(Concat("Heartbeat updated for ", *id)));
}

Awaitable<Response> EvictWorker(Front& front, Request& request) {
  const std::optional<std::string> id = Given(request, "worker_id");
  if (!id) co_return Missing("worker_id");
  front.book.Evict(*id);
  co_return http::JsonResponse(Success(Concat("Worker ", *id, " evicted")));
}

Awaitable<Response> AllocateNode(Front& front, Request& request) {
  const std::optional<std::string> host = Given(request, "hostname");
  if (!host) co_return Missing("hostname");
  const Result<std::string> node = front.book.Allocate(*host, request.QueryText("node_name"));
  if (!node.ok()) co_return Detail(409, node.error().message);
  const Json answer = {{"node_id", *node}, {"hostname", *host}};
  co_return http::JsonResponse(answer);
}

/// The lanes of all workers, then those that registered.
Awaitable<Response> WorkersStatus(Front& front, Request&) {
  Json answer = Json::object();
  for (const SharedWorkerView& worker : front.desk.api().crew.workers()) {
    for (const WorkerView::Lane& lane : worker->lanes) {
      answer[Concat(worker->name, "_", lane.info.name)] = {
          {"device", lane.info.name},
          {"status", LaneState(*worker, lane) == "ready" ? "online" : "offline"},
          {"last_heartbeat", WallTime()},
          {"node_id", ""},
          {"hostname", worker->name == front.desk.api().crew.own()->name ? "localhost" : worker->name}};
    }
  }
  for (const auto& [id, registered] : front.book.workers()) {
    answer[id] = {{"device", registered.device},
                  {"status", registered.status},
                  {"last_heartbeat", registered.last_heartbeat},
                  {"node_id", registered.node_id},
                  {"hostname", registered.hostname}};
  }
  co_return http::JsonResponse(answer);
}

}  // namespace

void AddWorkerRoutes(Table& table) {
  using http::Scope;
  const Json text = {{"type", "string"}};
  const http::Parameter worker = {"worker_id", "Of the worker.", text, true}, device = {"device", "Such as cuda:0."},
                        node = {"node_id", "Of its node."}, host = {"hostname", "Of its machine."};
  const http::Parameter on = {"device", "Such as cuda:0.", text, true}, machine = {"hostname", "Of it.", text, true};
  table.Add("POST", "/worker/register", "kgRegister", "Put a worker into the list.", Scope::kAdmin, RegisterWorker,
            {worker, on, node, host});
  table.Add("POST", "/worker/unregister", "kgUnregister", "Take a worker off the list.", Scope::kAdmin,
            UnregisterWorker, {worker});
  table.Add("POST", "/worker/heartbeat", "kgHeartbeat", "Say that a worker lives.", Scope::kAdmin, HeartbeatOfWorker,
            {worker, device, node, host});
  table.Add("POST", "/worker/evict_from_lb", "kgEvict", "Mark a worker as offline.", Scope::kAdmin, EvictWorker,
            {worker});
  table.Add("POST", "/node/allocate", "kgAllocate", "A name for a machine.", Scope::kAdmin, AllocateNode,
            {machine, {"node_name", "The name that is wished for."}});
  table.Add("GET", "/workers/status", "kgWorkers", "Lanes, and workers that registered.", Scope::kRead, WorkersStatus);
}

}  // namespace kgym::service::kernelgym
