// The reference hosts of a lane: each has one problem open and serves one evaluation at a time.
//
// Opening a problem costs a host and the problem's own code, so a host stays for the next evaluation of the same
// problem, until room is needed for another: then the one that rested longest goes.
//
// Threads: the lane's executor.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "judge/host.h"
#include "judge/memory_ledger.h"
#include "judge/session.h"

namespace kgym::judge {

/// One host with a problem open.
struct OpenedReference {
  std::unique_ptr<Host> host;
  std::string key;  // Of the problem and what it was opened with.
  ProblemFacts facts;
  bool busy = false;
  std::uint64_t last_used = 0;
  MemoryLedger::Claim kept;  // Of the card, while it rests.
};

class ReferencePool {
 public:
  explicit ReferencePool(int most) : most_(most) {}

  /// Move-only; the host rests in the pool when it ends.
  class Lease {
   public:
    Lease() = default;
    explicit Lease(OpenedReference* opened) : opened_(opened) {}
    Lease(Lease&& other) noexcept : opened_(std::exchange(other.opened_, nullptr)) {}
    Lease& operator=(Lease&& other) noexcept;
    ~Lease() { Release(); }

    OpenedReference* operator->() const { return opened_; }
    explicit operator bool() const { return opened_ != nullptr; }
    void Release();

   private:
    friend class ReferencePool;
    OpenedReference* opened_ = nullptr;
  };

  /// A resting host with this key; an empty lease where there is none.
  Lease Find(const std::string& key);

  /// Ends hosts that rest until there is room for one more.
  Awaitable<void> MakeRoom();

  /// Ends the host that rested longest; false where none rests.
  Awaitable<bool> EndOldest();

  Lease Add(std::unique_ptr<Host> host, std::string key, ProblemFacts facts);

  /// Ends the host: after a fault, the next evaluation gets a new one.
  Awaitable<void> Drop(Lease lease);

  /// Ends all that rest.
  Awaitable<void> Close();

 private:
  Awaitable<void> End(OpenedReference* opened);

  int most_;
  std::uint64_t uses_ = 0;
  std::vector<std::unique_ptr<OpenedReference>> all_;
};

}  // namespace kgym::judge
