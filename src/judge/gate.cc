#include "judge/gate.h"

#include <algorithm>

#include "judge/host.h"

namespace kgym::judge {
namespace {

// A second of expected measuring is overtaken for this many seconds at most.
constexpr int kPatience = 4;

Instant Now() { return std::chrono::steady_clock::now(); }

}  // namespace

Gate::Exclusive& Gate::Exclusive::operator=(Exclusive&& other) noexcept {
  if (this != &other) {
    Release();
    gate_ = std::exchange(other.gate_, nullptr);
  }
  return *this;
}

void Gate::Exclusive::Quiet() {
  if (gate_ == nullptr || gate_->quiet_) return;
  gate_->quiet_ = true;
  for (Host* host : gate_->hosts_) host->Credit();
}

Awaitable<void> Gate::Exclusive::Calm() {
  if (gate_ != nullptr) co_await gate_->Calm();
}

void Gate::Exclusive::Release() {
  if (Gate* gate = std::exchange(gate_, nullptr)) gate->Release();
}

Gate::Change& Gate::Change::operator=(Change&& other) noexcept {
  if (this != &other) {
    Done();
    gate_ = std::exchange(other.gate_, nullptr);
  }
  return *this;
}

void Gate::Change::Done() {
  Gate* gate = std::exchange(gate_, nullptr);
  if (gate != nullptr && --gate->changes_ == 0 && gate->settled_ != nullptr) gate->settled_->Set();
}

Awaitable<Gate::Change> Gate::BeginChange() {
  while (calm_) {
    Event over(executor_);
    held_back_.push_back(&over);
    try {
      co_await over.Wait();
    } catch (...) {
      std::erase(held_back_, &over);
      throw;
    }
  }
  co_return Change(this);
}

Awaitable<void> Gate::Calm() {
  calm_ = true;
  if (changes_ == 0) co_return;
  Event settled(executor_);
  settled_ = &settled;
  try {
    co_await settled.Wait();
  } catch (...) {
    settled_ = nullptr;
    throw;
  }
  settled_ = nullptr;
}

Awaitable<Gate::Exclusive> Gate::Measure(Duration expected, std::vector<Host*> own) {
  const Instant asked = Now();
  if (held_) {
    Event turn(executor_);
    waiting_.push_back({asked + kPatience * expected, &turn});
    try {
      co_await turn.Wait();  // Whoever releases takes the place out of the line and hands the gate over, still held.
    } catch (...) {
      Abandon(&turn);
      throw;
    }
  }
  held_ = true;
  stats_.waited += Now() - asked;
  Stop(std::move(own));
  co_return Exclusive(this);
}

void Gate::Abandon(Event* turn) {
  if (turn->is_set()) return Release();
  std::erase_if(waiting_, [turn](const Place& place) { return place.turn == turn; });
}

void Gate::Stop(std::vector<Host*> own) {
  own_ = std::move(own);
  quiet_ = false;
  held_since_ = Now();
  for (Host* host : hosts_) {
    if (std::ranges::find(own_, host) == own_.end()) host->Pause();
  }
}

void Gate::Release() {
  ++stats_.holds;
  stats_.held += Now() - held_since_;
  for (Host* host : hosts_) host->Resume();
  own_.clear();
  calm_ = false;
  for (Event* change : std::exchange(held_back_, {})) change->Set();
  if (waiting_.empty()) {
    held_ = false;
    return;
  }
  const auto next = std::ranges::min_element(waiting_, {}, &Place::order);
  Event* turn = next->turn;
  waiting_.erase(next);
  turn->Set();
}

void Gate::Join(Host& host) {
  hosts_.insert(&host);
  if (!held_) return;
  host.Pause();
  if (quiet_) host.Credit();
}

}  // namespace kgym::judge
