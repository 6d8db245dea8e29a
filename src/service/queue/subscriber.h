// One who is told of changes: a callback, and the executor that it runs on.
//
// Threads: any. What one thread tells arrives in that order. After End returns nothing is posted any more, so that the
// executor may go.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "service/queue/queue.h"

namespace kgym::service {

class Subscriber : public std::enable_shared_from_this<Subscriber> {
 public:
  Subscriber(Executor executor, std::function<void(const Changes&)> callback);

  void Tell(std::shared_ptr<const Changes> changes);
  void End();
  bool ended() const { return ended_; }

 private:
  Executor executor_;
  std::function<void(const Changes&)> callback_;
  std::mutex mutex_;
  std::atomic<bool> ended_ = false;
};

}  // namespace kgym::service
