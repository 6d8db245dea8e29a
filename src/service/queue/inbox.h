// What waits for a thread: many put in, one takes out all that is there at once. So the slower a batch is, the larger
// the next one becomes, and the cost of a commit or a round trip is shared by whoever came meanwhile.
//
// Threads: Put and Close from any; TakeAll from one.
#pragma once

#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

namespace kgym::service {

template <class Item>
class Inbox {
 public:
  void Put(Item item) {
    {
      const std::lock_guard lock(mutex_);
      items_.push_back(std::move(item));
    }
    arrived_.notify_one();
  }

  /// Waits for at least one. Empty once closed and taken.
  std::vector<Item> TakeAll() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return closed_ || !items_.empty(); });
    return std::exchange(items_, {});
  }

  void Close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    arrived_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Item> items_;
  bool closed_ = false;
};

}  // namespace kgym::service
