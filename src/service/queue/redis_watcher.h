// One subscription to a distributed queue: a connection that reads the stream of changes, and a thread that waits on
// it.
//
// It begins with all that live and goes on from there. The changes are numbered; whenever the next one is not to be had
// (the connection was lost, or the reader was slower than the stream is long), it begins anew.
//
// Threads: made and destroyed by one; the callback runs on the subscriber's executor.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "service/queue/redis_connection.h"
#include "service/queue/subscriber.h"

namespace kgym::service {

class RedisWatcher final : public Subscription {
 public:
  RedisWatcher(RedisOptions options, std::shared_ptr<Subscriber> subscriber);
  ~RedisWatcher() override;

 private:
  /// A task, and the number of the change that made it so.
  struct Change {
    std::int64_t number;
    Task task;
  };

  void Serve();
  Status Follow();  // Until something breaks.
  Result<std::int64_t> Begin();
  Result<std::int64_t> ReadLive(TaskState state, std::map<std::string, Change>& live);
  Result<std::vector<Change>> Next(std::int64_t last);
  bool Pause(Duration duration);  // False where it is to end.

  RedisOptions options_;
  std::shared_ptr<Subscriber> subscriber_;
  RedisConnection connection_;
  std::mutex mutex_;
  std::condition_variable ending_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace kgym::service
