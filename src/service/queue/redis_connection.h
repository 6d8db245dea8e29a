// One connection to Redis: commands out, replies back, in order. The protocol is hiredis's.
//
// Threads: one at a time, but for Interrupt.
#pragma once

#include <hiredis/hiredis.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "service/queue/redis_options.h"
#include "service/queue/redis_tls.h"

namespace kgym::service {

using RedisCommand = std::vector<std::string>;

/// What Redis answered, or a part of it.
class RedisReply {
 public:
  explicit RedisReply(redisReply* reply) : reply_(reply) {}

  /// Of an array.
  std::size_t size() const { return reply_->elements; }
  RedisReply operator[](std::size_t index) const { return RedisReply(reply_->element[index]); }
  bool is_array() const { return reply_->type == REDIS_REPLY_ARRAY; }
  bool is_error() const { return reply_->type == REDIS_REPLY_ERROR; }

  /// Of a string, a status, an error or an integer.
  std::string Text() const;
  std::int64_t Int() const;

 private:
  redisReply* reply_;  // Owned by a RedisAnswer.
};

struct FreeRedisReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using RedisAnswer = std::unique_ptr<redisReply, FreeRedisReply>;

class RedisConnection {
 public:
  explicit RedisConnection(RedisAddress address) : address_(std::move(address)) {}
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;

  /// Connects and says who we are. `silence`: the longest time to wait for an answer.
  Status Open(Duration silence);
  bool open() const { return context_ != nullptr; }
  void Close();

  /// Sent with the next Receive.
  void Send(const RedisCommand& command);

  /// The answer to the oldest command that has none yet. Where Redis itself answered with an error the connection stays
  /// open; after any other Error it is closed. ReceiveAny hands on what Redis answered, an error too.
  Result<RedisAnswer> Receive();
  Result<RedisAnswer> ReceiveAny();
  Result<RedisAnswer> Ask(const RedisCommand& command);

  /// An error that Redis answered with, for a person.
  Error Refusal(const std::string& text) const;

  /// Ends whatever waits here, and all later attempts. From any thread.
  void Interrupt();

 private:
  struct Free {
    void operator()(redisContext* context) const { redisFree(context); }
  };
  Status Flush();
  Result<void*> NextReply();
  Error Broken(const std::string& why);

  RedisAddress address_;
  std::mutex mutex_;  // Of context_, as far as Interrupt looks at it; and of interrupted_.
  std::unique_ptr<redisContext, Free> context_;
  std::unique_ptr<RedisTls> tls_;  // Over the context's socket, where the address asks for it.
  bool interrupted_ = false;
  std::string unsent_;
};

}  // namespace kgym::service
