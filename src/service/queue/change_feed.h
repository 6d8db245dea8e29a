// The subscribers of a queue that knows of every change itself, and the way of each change to all of them.
//
// Threads: any.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "service/queue/queue.h"
#include "service/queue/subscriber.h"

namespace kgym::service {

class ChangeFeed {
 public:
  /// Tells `subscriber` all that live; from here on it hears what is published.
  void Begin(const std::shared_ptr<Subscriber>& subscriber, std::vector<Task> live);

  void Publish(Changes changes);

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<Subscriber>> subscribers_;
};

}  // namespace kgym::service
