#include "judge/memory_ledger.h"

#include <algorithm>

namespace kgym::judge {

MemoryLedger::Claim& MemoryLedger::Claim::operator=(Claim&& other) noexcept {
  if (this != &other) {
    Release();
    ledger_ = std::exchange(other.ledger_, nullptr);
    bytes_ = other.bytes_;
    taken_ = other.taken_;
  }
  return *this;
}

void MemoryLedger::Claim::Release() {
  MemoryLedger* ledger = std::exchange(ledger_, nullptr);
  if (ledger == nullptr) return;
  ledger->held_ -= bytes_;
  if (!taken_) --ledger->claims_;
  ledger->Grant();
}

Awaitable<MemoryLedger::Claim> MemoryLedger::Reserve(std::int64_t bytes) {
  if (total_ == 0) co_return Claim();
  if (waiting_.empty() && Fits(bytes)) {
    Hold(bytes);
    co_return Claim(this, bytes, false);
  }
  Event turn(executor_);
  waiting_.push_back({bytes, &turn});
  try {
    co_await turn.Wait();  // Grant has counted it as held.
  } catch (...) {
    if (turn.is_set()) Claim(this, bytes, false).Release();
    std::erase_if(waiting_, [&turn](const Place& place) { return place.turn == &turn; });
    Grant();
    throw;
  }
  co_return Claim(this, bytes, false);
}

MemoryLedger::Claim MemoryLedger::Taken(std::int64_t bytes) {
  if (total_ == 0) return {};
  held_ += bytes;
  return Claim(this, bytes, true);
}

void MemoryLedger::Grant() {
  while (!waiting_.empty() && Fits(waiting_.front().bytes)) {
    const Place next = waiting_.front();
    waiting_.pop_front();
    Hold(next.bytes);
    next.turn->Set();
  }
}

}  // namespace kgym::judge
