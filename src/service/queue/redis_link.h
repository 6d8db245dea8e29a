// The thread that speaks with Redis for a queue: runs operations of redis_queue.lua, many in one round trip.
//
// They go in one MULTI .. EXEC. Redis would otherwise write and sync its file after each 16 KiB that it read, so that a
// batch of submissions would take many syncs.
//
// Threads: Put from any; answers come on the link's own thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "service/queue/inbox.h"
#include "service/queue/redis_connection.h"

namespace kgym::service {

/// One call: operations in order, and who gets their answers. All of them may be run again.
struct RedisCall {
  std::vector<RedisCommand> operations;  // Without what is before the operation's name: the link adds it.
  /// One reply for each operation; they live as long as the call of this.
  std::function<void(Result<std::vector<RedisReply>>)> answer;
};

class RedisLink {
 public:
  explicit RedisLink(RedisOptions options);
  ~RedisLink();  // After all that was put was answered.

  /// Connects once, and checks the settings. Before the first Put.
  Status Start();

  void Put(RedisCall call) { inbox_.Put(std::move(call)); }

 private:
  using Batch = std::vector<RedisCall>;

  void Serve();
  Status Connect();
  void Run(Batch& batch);
  Status Exchange(std::span<RedisCall>& rest);
  Result<RedisAnswer> Transact(std::span<const RedisCall> calls);
  Status RunAlone(RedisCall& call);
  void Answer(RedisCall& call, std::vector<RedisReply> replies);
  RedisCommand Whole(const RedisCommand& operation) const;

  RedisOptions options_;
  RedisConnection connection_;
  std::string script_;  // The name that Redis gave it.
  Inbox<RedisCall> inbox_;
  std::mutex mutex_;
  std::condition_variable closing_;
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace kgym::service
