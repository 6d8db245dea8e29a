// One connection: reads a request, has it answered, writes the answer, and again. For server.cc only.
//
// Threads: the server's executor.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>
#include <optional>
#include <string>

#include "service/http/server.h"

namespace kgym::http {

class SocketHangup;

class Connection {
 public:
  /// All but the socket must outlive it.
  Connection(boost::asio::ip::tcp::socket socket, const Limits& limits, Application& application, ServerStats& stats);
  ~Connection();

  /// Until either side has had enough.
  Awaitable<void> Run();

  /// Ends it after the answer that is in work; at once where there is none.
  void Drain();

  /// Ends it now.
  void Close();

  /// Tells a client that there are too many, and ends.
  Awaitable<void> TurnAway();

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  class ChunkedStream;

  Awaitable<bool> RunOne();  // Whether there may be another.
  Awaitable<bool> AwaitBytes();
  Awaitable<bool> ReadHead(Parser& parser);
  Awaitable<std::optional<Response>> ReadBody(Parser& parser, Request& request);
  Awaitable<bool> Continue();
  Awaitable<bool> Write(const Request& request, Response response, bool keep);
  Awaitable<bool> WriteStreamed(const Request& request, Response response, bool keep);
  Awaitable<bool> Send(std::string head, std::string body);
  Awaitable<void> Linger();
  Request Describe(const Parser& parser) const;

  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  const Limits& limits_;
  Application& application_;
  ServerStats& stats_;
  std::string peer_;
  std::shared_ptr<SocketHangup> hangup_;  // Of the request in work; what it waits for may end after the request.
  bool first_ = true;
  bool draining_ = false;
  bool working_ = false;  // From a request's first byte to its answer's last.
  bool chunked_ = false;  // Whether the client knows chunks (HTTP/1.1).
};

}  // namespace kgym::http
