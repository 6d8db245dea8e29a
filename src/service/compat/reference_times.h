// Reference times that requests with `use_reference_cache` share: the first that was measured for a uuid is every later
// one's, so that the speedups of many candidates stand over one number.
//
// The judge measures the reference beside every candidate all the same; this is what is reported. Of each uuid's code,
// backend mode and device one time is kept, in memory, the least recently used are forgotten.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <optional>
#include <string>

namespace kgym::service::kernelgym {

class ReferenceTimes {
 public:
  explicit ReferenceTimes(std::size_t most = 100'000) : most_(most) {}

  std::optional<double> Find(const std::string& key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return std::nullopt;
    recent_.splice(recent_.begin(), recent_, found->second.place);
    return found->second.ms;
  }

  void Keep(const std::string& key, double ms) {
    if (by_key_.contains(key)) return;
    recent_.push_front(key);
    by_key_[key] = {ms, recent_.begin()};
    if (by_key_.size() <= most_) return;
    by_key_.erase(recent_.back());
    recent_.pop_back();
  }

  std::size_t size() const { return by_key_.size(); }

 private:
  struct Entry {
    double ms = 0;
    std::list<std::string>::iterator place;
  };
  std::size_t most_;
  std::list<std::string> recent_;  // Keys, the latest used first.
  std::map<std::string, Entry> by_key_;
};

}  // namespace kgym::service::kernelgym
