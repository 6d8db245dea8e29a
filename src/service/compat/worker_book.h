// Workers and nodes that registered through KernelGYM's endpoints: a list, and nothing more. Our own workers do not
// need it; what is here is for scripts that register theirs and look at the list.
//
// Threads: one at a time.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"

namespace kgym::service::kernelgym {

struct Registered {
  std::string device = {};
  std::string status = "online";
  std::string last_heartbeat = {};  // ISO 8601, UTC.
  std::string node_id = {};
  std::string hostname = {};
};

class WorkerBook {
 public:
  void Register(const std::string& id, Registered worker);
  bool Unregister(const std::string& id) { return workers_.erase(id) > 0; }
  /// An error is the text of a 409. An unknown worker that says its device is registered.
  Status Heartbeat(const std::string& id, const Registered& worker);
  /// It stays in the list as "offline".
  void Evict(const std::string& id);

  /// The node's id: the one asked for, the host's own, or a new one. An error is the text of a 409.
  Result<std::string> Allocate(const std::string& hostname, const std::string& node_name);

  const std::map<std::string, Registered>& workers() const { return workers_; }

 private:
  std::map<std::string, Registered> workers_;
  std::map<std::string, std::string> node_of_host_, host_of_node_;
  int next_node_ = 1;
};

}  // namespace kgym::service::kernelgym
