// Who is next among those who share lanes: start-time fair queueing (Goyal, Vin and Cheng, 1996).
//
// Each member has a clock that advances by what it was served, over its weight; of those who wait, the one whose clock
// is furthest behind is next. Who comes back after having had nothing to do starts at the clock of whoever is being
// served: idleness earns no credit. So while two members both wait, what they are served, over their weights, differs
// by no more than the largest single piece of service of either over its weight.
//
// Threads: one at a time. A plain value: copies go on independently.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace kgym::service {

class FairShares {
 public:
  /// One more, or one less, piece of work of `member` waits. Leave() must match an Enter().
  void Enter(const std::string& member);
  void Leave(const std::string& member);

  bool empty() const { return order_.empty(); }

  /// The member to serve next. Someone must be waiting. Ties go by name, so that the order is the same everywhere.
  const std::string& First() const;

  /// `member`, who is waiting, is being served `cost`, already divided by its weight.
  void Charge(const std::string& member, double cost);

  /// A charge turned out to be too low (or too high, where `difference` is negative). Forgotten members stay forgotten.
  void Correct(const std::string& member, double difference);

  /// Members that are remembered: those who wait, and those whose clock is ahead.
  std::size_t size() const { return members_.size(); }

 private:
  struct Member {
    double clock = 0;
    std::size_t waiting = 0;
  };

  void Move(const std::string& name, Member& member, double clock);
  void ForgetIdle();

  std::map<std::string, Member> members_;
  std::set<std::pair<double, std::string>> order_;  // Those who wait, by clock.
  double served_clock_ = 0;                         // Of whoever was served last.
};

}  // namespace kgym::service
