// Raises a signal when nobody waits for an answer any more; forgets it when it goes.
//
// Threads: the HTTP server's executor.
#pragma once

#include "service/http/message.h"
#include "service/http/signal.h"

namespace kgym::service {

class HangupWatch {
 public:
  /// `hangup` may be null: then somebody always waits. Both must outlive it.
  HangupWatch(http::Hangup* hangup, http::Signal& signal) : hangup_(hangup) {
    if (hangup_ != nullptr) hangup_->Notify([&signal] { signal.Raise(); });
  }
  ~HangupWatch() {
    if (hangup_ != nullptr) hangup_->Forget();
  }
  HangupWatch(const HangupWatch&) = delete;
  HangupWatch& operator=(const HangupWatch&) = delete;

  bool gone() const { return hangup_ != nullptr && hangup_->raised(); }

 private:
  http::Hangup* hangup_;
};

}  // namespace kgym::service
