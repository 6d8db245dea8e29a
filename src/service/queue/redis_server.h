// A redis-server of a test's own, on a free port of this machine, ended with the object.
//
// Threads: the test's.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "service/queue/redis_connection.h"

namespace kgym::service {

class RedisServer {
 public:
  /// An Error where the machine has no redis-server. `settings` are words of its command line.
  static Result<std::unique_ptr<RedisServer>> Start(std::vector<std::string> settings = {});
  ~RedisServer();

  RedisAddress address() const;
  void Kill();     // As kill -9 does.
  Status Begin();  // Again, with the same files and port; returns once it answers.

  Result<RedisAnswer> Ask(const RedisCommand& command);

 private:
  RedisServer(TempDir folder, int port, std::vector<std::string> settings)
      : folder_(std::move(folder)), port_(port), settings_(std::move(settings)) {}

  TempDir folder_;
  int port_;
  std::vector<std::string> settings_;
  pid_t pid_ = -1;
};

}  // namespace kgym::service
