// Memory that is promised before it is taken: nobody finds the card full that was told there is room.
//
// First come, first served: a big claim is not passed over for ever by small ones. A claim that cannot be met at all is
// granted when no other claim is held, so that it fails, if at all, by itself.
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
    Claim(Claim&& other) noexcept
        : ledger_(std::exchange(other.ledger_, nullptr)), bytes_(other.bytes_), taken_(other.taken_) {}
    Claim& operator=(Claim&& other) noexcept;
    ~Claim() { Release(); }
    void Release();

   private:
    friend class MemoryLedger;
    Claim(MemoryLedger* ledger, std::int64_t bytes, bool taken) : ledger_(ledger), bytes_(bytes), taken_(taken) {}
    MemoryLedger* ledger_ = nullptr;
    std::int64_t bytes_ = 0;
    bool taken_ = false;
  };

  Awaitable<Claim> Reserve(std::int64_t bytes);

  /// What is taken already, whether there was room or not.
  Claim Taken(std::int64_t bytes);

  /// Whether so much is promised to nobody.
  bool HasRoom(std::int64_t bytes) const { return total_ == 0 || held_ + bytes <= total_; }

  std::int64_t total() const { return total_; }
  std::int64_t held() const { return held_; }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  struct Place {
    std::int64_t bytes;
    Event* turn;
  };
  bool Fits(std::int64_t bytes) const { return claims_ == 0 || HasRoom(bytes); }
  void Hold(std::int64_t bytes) {
    held_ += bytes;
    ++claims_;
  }
  void Grant();  // To those at the head of the line whom there is room for.

  Executor executor_;
  std::int64_t total_;
  std::int64_t held_ = 0;
  int claims_ = 0;  // That were reserved, not only taken.
  std::deque<Place> waiting_;
};

}  // namespace kgym::judge
