#include "judge/reference_pool.h"

#include <algorithm>

namespace kgym::judge {

ReferencePool::Lease& ReferencePool::Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    Release();
    opened_ = std::exchange(other.opened_, nullptr);
  }
  return *this;
}

void ReferencePool::Lease::Release() {
  if (OpenedReference* opened = std::exchange(opened_, nullptr)) opened->busy = false;
}

ReferencePool::Lease ReferencePool::Find(const std::string& key) {
  const auto found =
      std::ranges::find_if(all_, [&key](const auto& opened) { return !opened->busy && opened->key == key; });
  if (found == all_.end()) return {};
  (*found)->busy = true;
  (*found)->last_used = ++uses_;
  (*found)->kept.Release();
  return Lease(found->get());
}

Awaitable<bool> ReferencePool::EndOldest() {
  OpenedReference* oldest = nullptr;
  for (const auto& opened : all_) {
    if (!opened->busy && (oldest == nullptr || opened->last_used < oldest->last_used)) oldest = opened.get();
  }
  if (oldest == nullptr) co_return false;
  co_await End(oldest);
  co_return true;
}

Awaitable<void> ReferencePool::MakeRoom() {
  while (static_cast<int>(all_.size()) >= most_) {
    const bool made = co_await EndOldest();
    if (!made) co_return;
  }
}

ReferencePool::Lease ReferencePool::Add(std::unique_ptr<Host> host, std::string key, ProblemFacts facts) {
  all_.push_back(std::make_unique<OpenedReference>(
      OpenedReference{std::move(host), std::move(key), std::move(facts), true, ++uses_, {}}));
  return Lease(all_.back().get());
}

Awaitable<void> ReferencePool::Drop(Lease lease) {
  OpenedReference* opened = std::exchange(lease.opened_, nullptr);
  if (opened != nullptr) co_await End(opened);
}

Awaitable<void> ReferencePool::Close() {
  while (!all_.empty()) co_await End(all_.front().get());
}

Awaitable<void> ReferencePool::End(OpenedReference* opened) {
  // Out of the pool before the wait: nobody else may find it.
  const auto at = std::ranges::find_if(all_, [opened](const auto& one) { return one.get() == opened; });
  const std::unique_ptr<OpenedReference> ending = std::move(*at);
  all_.erase(at);
  co_await ending->host->End();
}

}  // namespace kgym::judge
