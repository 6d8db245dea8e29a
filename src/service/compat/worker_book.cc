#include "service/compat/worker_book.h"

#include "base/text.h"

namespace kgym::service::kernelgym {
namespace {

constexpr std::size_t kMost = 10'000;  // Of either; whoever may submit may register.

}  // namespace

void WorkerBook::Register(const std::string& id, Registered worker) {
  if (workers_.size() >= kMost && !workers_.contains(id)) workers_.erase(workers_.begin());
  workers_[id] = std::move(worker);
}

Status WorkerBook::Heartbeat(const std::string& id, const Registered& worker) {
  const auto known = workers_.find(id);
  if (known != workers_.end()) {
    if (!worker.device.empty() && worker.device != known->second.device)
      return Error{Concat("Worker ", id, " is registered for device ", known->second.device, ", not ", worker.device)};
    known->second.last_heartbeat = worker.last_heartbeat;
    known->second.status = "online";
    return Ok();
  }
  if (worker.device.empty()) return Error{Concat("Worker ", id, " is not registered and names no device")};
  for (const auto& [other, registered] : workers_) {
    if (registered.status == "online" && registered.device == worker.device && registered.node_id == worker.node_id)
      return Error{Concat("Device ", worker.device, " on node '", worker.node_id, "' is used by worker ", other)};
  }
  Register(id, worker);
  return Ok();
}

void WorkerBook::Evict(const std::string& id) {
  const auto known = workers_.find(id);
  if (known != workers_.end()) known->second.status = "offline";
}

Result<std::string> WorkerBook::Allocate(const std::string& hostname, const std::string& node_name) {
  if (node_name.empty()) {
    const auto known = node_of_host_.find(hostname);
    if (known != node_of_host_.end()) return known->second;
  }
  std::string node = node_name;
  while (node.empty() || (node_name.empty() && host_of_node_.contains(node))) node = Concat("node-", next_node_++);
  const auto bound = host_of_node_.find(node);
  if (bound != host_of_node_.end() && bound->second != hostname)
    return Error{Concat("Node name '", node, "' is bound to host ", bound->second)};
  if (host_of_node_.size() >= kMost && bound == host_of_node_.end())
    return Error{Concat("There are ", kMost, " nodes already; no more are remembered")};
  host_of_node_[node] = hostname;
  node_of_host_.emplace(hostname, node);
  return node;
}

}  // namespace kgym::service::kernelgym
