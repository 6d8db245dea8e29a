// Labels: what a lane is ({"device": "cuda", "card": "H100", "backend": "cuda|triton"}), and what a task asks of the
// lane it runs on ({"backend": "triton"}).
//
// A lane's value may be several with '|' between them, or "*" for any. Labels say kinds, not names: lanes with equal
// labels share one pool, and there should be a handful of pools.
//
// Threads: any; plain values.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

namespace kgym::service {

using Labels = std::map<std::string, std::string>;

/// The label that says what a lane can judge, and what a task is written in.
inline constexpr const char* kBackendLabel = "backend";

/// The label that says which workflows a lane has, and which one a task is a run of.
inline constexpr const char* kWorkflowLabel = "workflow";

/// Whether a lane's value is the wanted one, has it among several, or is any.
inline bool Covers(std::string_view have, std::string_view wanted) {
  if (have == wanted || have == "*") return true;
  while (!have.empty()) {
    const std::string_view one = have.substr(0, have.find('|'));
    if (one == wanted) return true;
    have.remove_prefix(std::min(have.size(), one.size() + 1));
  }
  return false;
}

/// Whether a lane labelled `have` may run what asks for `wanted`: it has every wanted label, with a value that covers.
inline bool Satisfies(const Labels& have, const Labels& wanted) {
  for (const auto& [name, value] : wanted) {
    const auto found = have.find(name);
    if (found == have.end() || !Covers(found->second, value)) return false;
  }
  return true;
}

}  // namespace kgym::service
