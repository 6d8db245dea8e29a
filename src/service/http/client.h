// An HTTP/1.1 client of one server: JSON out and in, and answers that are followed line by line.
//
// Connections are kept and used again; where a kept one turns out to be dead the request is sent once more on a new
// one, so that all that is asked must be safe to ask twice.
//
// Threads: its executor. The client must outlive its calls.
#pragma once

#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/verb.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/async.h"
#include "base/json.h"
#include "base/result.h"

namespace kgym::http {

struct ServerUrl {
  std::string host = "127.0.0.1";  // A name or an address; of IPv6 without brackets.
  std::uint16_t port = 8700;

  std::string Text() const;
  std::string Authority() const;  // The header 'Host'.
};

/// "http://host[:port]". https is an Error that says what to do.
Result<ServerUrl> ParseServerUrl(const std::string& url);

/// What a server answered, whatever the status.
struct ClientReply {
  int status = 0;
  Json json = nullptr;                       // Null where the body is not JSON.
  std::string bytes = {};                    // The body, where it is "application/octet-stream".
  std::optional<Duration> retry_after = {};  // Of a 429 or 503 that says so.

  bool ok() const { return status >= 200 && status < 300; }
  /// Whether what was refused may be taken later, as by a server that is full; else asking again is of no use.
  bool Passing() const { return status >= 500 || status == 408 || status == 429; }
  /// The last part of a problem document's type; empty where it is none.
  std::string Type() const;
  /// A sentence for a person.
  std::string Detail() const;
};

class Client {
 public:
  /// `token`: empty where the server asks for none.
  Client(Executor executor, ServerUrl url, std::string token);

  const ServerUrl& url() const { return url_; }
  const Executor& executor() const { return executor_; }

  using Method = boost::beast::http::verb;

  /// `body`: of `type`, or empty. An Error: there was no answer within `limit`, or no connection.
  Awaitable<Result<ClientReply>> Send(Method method, std::string path, std::string body, Duration limit,
                                      std::string type = "application/json");
  Awaitable<Result<ClientReply>> Post(std::string path, Json body, Duration limit);

  /// Whether the server was there at any time.
  bool reached() const { return reached_; }

  /// An answer without an end. `end()` ends it from outside.
  class Reading {
   public:
    void end();

   private:
    friend class Client;
    boost::beast::tcp_stream* stream_ = nullptr;
    bool ended_ = false;
  };
  /// Calls `line` with each line, until it says false, the stream ends, or nothing comes for `silence`. An Error says
  /// which.
  Awaitable<Status> Follow(std::string path, Duration silence, std::shared_ptr<Reading> reading,
                           std::function<bool(std::string_view)> line);

 private:
  using Stream = boost::beast::tcp_stream;

  Awaitable<Status> Connect(Stream& stream);
  struct Question;
  Awaitable<Result<ClientReply>> Ask(Stream& stream, const Question& question);
  Error Lost(const std::string& why) const;

  Executor executor_;
  ServerUrl url_;
  std::string token_;
  bool reached_ = false;
  std::vector<std::unique_ptr<Stream>> idle_;
};

}  // namespace kgym::http
