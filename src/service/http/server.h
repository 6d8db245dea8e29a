// An HTTP/1.1 server on one executor: keep-alive, pipelining, bodies by length or in chunks, streamed answers.
//
// A client that is slow, silent, too large or too many costs a bounded amount: where a head is not whole in time, or a
// body or an answer does not move at a least rate, the connection is closed; beyond `connections` the next is answered
// 503. What is wrong with a message itself is answered with a problem document (400, 413, 417, 431).
//
// Threads: the executor, which one thread runs. The server must outlive its connections: Stop() first.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/async.h"
#include "base/result.h"
#include "service/http/site.h"

namespace kgym::http {

struct Limits {
  std::size_t connections = 12'000;
  std::uint32_t head_bytes = 16 << 10;  // Request line and headers.
  Duration head = 10s;                  // From a head's first byte to its last, and from the connect to the first byte.
  Duration idle = 75s;                  // Between two requests of a connection.
  Duration grace = 10s;                 // What a body or a piece of an answer may take, whatever its rate.
  double bytes_per_s = 16 << 10;        // The slowest that a body may come or an answer be taken beyond that.
  Duration linger = 2s;                 // How long what a refused client still sends is read, so that it sees why.
};

struct ServerStats {
  std::int64_t accepted = 0;     // Since the start.
  std::int64_t turned_away = 0;  // Of those, for being too many.
  std::int64_t malformed = 0;    // Requests that could not be read.
  std::int64_t timed_out = 0;    // Connections that were ended for being slow.
  std::int64_t bytes_in = 0;     // Of bodies.
  std::int64_t bytes_out = 0;
  std::size_t open = 0;  // Now.
};

class Server {
 public:
  /// Listens on `host` (an address, or "localhost") and `port` (0: any free one), and serves from then on.
  /// `application` must outlive it. An error says what cannot be listened on, and why.
  static Result<std::unique_ptr<Server>> Listen(Executor executor, const std::string& host, std::uint16_t port,
                                                Limits limits, Application& application);
  virtual ~Server() = default;

  virtual std::uint16_t port() const = 0;
  virtual ServerStats stats() const = 0;

  /// No new connections; requests that are in work get their answers for as long as `patience`, then all is closed.
  virtual Awaitable<void> Stop(Duration patience) = 0;
};

/// Whether only this machine can reach what listens on `host`.
bool IsLoopback(const std::string& host);

}  // namespace kgym::http
