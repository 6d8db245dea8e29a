#include "judge/memory_ledger.h"

#include <algorithm>

namespace kgym::judge {

MemoryLedger::Claim& MemoryLedger::Claim::operator=(Claim&& other) noexcept {
  if (this != &other) {
    Release();
    ledger_ = std::exchange(other.ledger_, nullptr);
    bytes_ = other.bytes_;
  }
  return *this;
}

void MemoryLedger::Claim::Release() {
  MemoryLedger* ledger = std::exchange(ledger_, nullptr);
  if (ledger == nullptr) return;
  ledger->held_ -= bytes_;
  ledger->Grant();
}

Awaitable<MemoryLedger::Claim> MemoryLedger::Reserve(std::int64_t bytes) {
  if (total_ == 0) co_return Claim();
  if (waiting_.empty() && Fits(bytes)) {
    held_ += bytes;
    co_return Claim(this, bytes);
  }
  Event turn(executor_);
  waiting_.push_back({bytes, &turn});
  try {
    co_await turn.Wait();  // Grant has counted it as held.
  } catch (...) {
    if (turn.is_set()) Claim(this, bytes).Release();
    std::erase_if(waiting_, [&turn](const Place& place) { return place.turn == &turn; });
    Grant();
    throw;
  }
  co_return Claim(this, bytes);
}

void MemoryLedger::Grant() {
  while (!waiting_.empty() && Fits(waiting_.front().bytes)) {
    const Place next = waiting_.front();
    waiting_.pop_front();
    held_ += next.bytes;
    next.turn->Set();
  }
}

}  // namespace kgym::judge
