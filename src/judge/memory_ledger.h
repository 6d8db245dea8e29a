// Memory that is promised before it is taken: nobody finds the card full that was told there is room.
//
// First come, first served: a big claim is not passed over for ever by small ones. A claim above the total is granted
// when nobody else holds anything, so that it fails, if at all, by itself.
//
// Threads: the executor it was made on.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "base/async.h"

namespace kgym::judge {

class MemoryLedger {
 public:
  /// `total`: bytes; 0 for memory that nobody counts.
  MemoryLedger(Executor executor, std::int64_t total) : executor_(std::move(executor)), total_(total) {}
  MemoryLedger(const MemoryLedger&) = delete;
  MemoryLedger& operator=(const MemoryLedger&) = delete;

  /// Move-only; gives itself back.
  class Claim {
   public:
    Claim() = default;
    Claim(Claim&& other) noexcept : ledger_(std::exchange(other.ledger_, nullptr)), bytes_(other.bytes_) {}
    Claim& operator=(Claim&& other) noexcept;
    ~Claim() { Release(); }
    void Release();

   private:
    friend class MemoryLedger;
    Claim(MemoryLedger* ledger, std::int64_t bytes) : ledger_(ledger), bytes_(bytes) {}
    MemoryLedger* ledger_ = nullptr;
    std::int64_t bytes_ = 0;
  };

  Awaitable<Claim> Reserve(std::int64_t bytes);

  std::int64_t held() const { return held_; }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  struct Place {
    std::int64_t bytes;
    Event* turn;
  };
  bool Fits(std::int64_t bytes) const { return held_ == 0 || held_ + bytes <= total_; }
  void Grant();  // To those at the head of the line whom there is room for.

  Executor executor_;
  std::int64_t total_;
  std::int64_t held_ = 0;
  std::deque<Place> waiting_;
};

}  // namespace kgym::judge
