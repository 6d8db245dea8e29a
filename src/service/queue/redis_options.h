// Where the distributed queue's Redis is, and what is asked of it.
//
// Threads: a plain value.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "service/queue/bounds.h"

namespace kgym::service {

struct RedisAddress {
  std::string host = "127.0.0.1";
  int port = 6379;
  std::string user = {};      // Empty: Redis's default user.
  std::string password = {};  // Empty: none is sent.
  int database = 0;
  bool tls = false;     // The server's certificate is always verified.
  std::string ca = {};  // PEM file of who signed it; empty: whom the machine trusts.

  std::string Text() const;  // For a person: without the password.
};

/// "redis://[[user]:password@]host[:port][/database]", or with TLS "rediss://...[?ca=FILE]".
Result<RedisAddress> ParseRedisAddress(const std::string& url);

struct RedisOptions {
  RedisAddress address = {};
  std::string prefix = "{kgym}:";  // Of all its keys; the braces keep them on one node of a cluster.
  Bounds bounds = {};
  Duration patience = 10s;       // How long a call waits for a Redis that cannot be reached.
  bool allow_everysec = false;   // Accepts appendfsync everysec: what was accepted in the last seconds may be lost.
  const Clock* clock = nullptr;  // Must outlive the queue; null: the machine's.
};

}  // namespace kgym::service
