// Labels: what a lane is ({"device": "cuda", "card": "H100"}), and what a task asks of the lane it runs on.
//
// Labels say kinds, not names: lanes with equal labels share one pool, and there should be a handful of pools.
//
// Threads: any; plain values.
#pragma once

#include <map>
#include <string>

namespace kgym::service {

using Labels = std::map<std::string, std::string>;

/// Whether a lane labelled `have` may run what asks for `wanted`: it has every wanted label, with the same value.
inline bool Satisfies(const Labels& have, const Labels& wanted) {
  for (const auto& [name, value] : wanted) {
    const auto found = have.find(name);
    if (found == have.end() || found->second != value) return false;
  }
  return true;
}

}  // namespace kgym::service
