#include "service/http/connection.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <ctime>

#include "base/text.h"
#include "service/http/hangup.h"
#include "service/http/refusal.h"

namespace kgym::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;

using boost::system::error_code;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kReadAtOnce = 4096;
constexpr std::size_t kLingerBytes = std::size_t{4} << 20;

/// RFC 9110's date, made once a second.
const std::string& Date() {
  thread_local std::time_t at = 0;
  thread_local std::string text;
  const std::time_t now = std::time(nullptr);
  if (now == at) return text;
  char buffer[40];
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  text.assign(buffer, std::strftime(buffer, sizeof buffer, "%a, %d %b %Y %H:%M:%S GMT", &parts));
  at = now;
  return text;
}

bool HasBody(int status) { return status >= 200 && status != 204 && status != 304; }

std::string HeadOf(const Response& response, bool keep, bool old) {
  std::string head = Concat(old ? "HTTP/1.0 " : "HTTP/1.1 ", response.status, " ", StatusText(response.status),
                            "\r\nDate: ", Date(), "\r\n");
  if (HasBody(response.status)) head += Concat("Content-Type: ", response.content_type, "\r\n");
  bool cached = false;
  for (const Header& header : response.headers) {
    head += Concat(header.name, ": ", header.value, "\r\n");
    cached = cached || SameWord(header.name, "Cache-Control");
  }
  if (!cached) head += "Cache-Control: no-store\r\n";
  head += "X-Content-Type-Options: nosniff\r\n";
  if (!keep) head += "Connection: close\r\n";
  if (keep && old) head += "Connection: keep-alive\r\n";
  return head;
}

/// What a message that cannot be read is answered; none where nobody is there to read it.
std::optional<Refusal> RefusalOf(const error_code& code, const Limits& limits) {
  using beast::http::error;
  if (code == error::end_of_stream || code == asio::error::operation_aborted) return std::nullopt;
  if (code == error::header_limit || code == error::buffer_overflow)
    return Refusal{431, "head-too-large", Concat("the request's head is longer than ", FormatBytes(limits.head_bytes))};
  if (code == error::partial_message)
    return Refusal{400, "malformed", "the connection was closed in the middle of a message"};
  if (code.category() != make_error_code(error::bad_target).category()) return std::nullopt;  // The socket's.
  return Refusal{400, "malformed", Concat("the message is not HTTP/1.1: ", code.message())};
}

Refusal BodyTooLarge(const Request& request) {
  return {413, "too-large",
          Concat("the body is longer than ", FormatBytes(request.body_limit), ", which is all that ", request.path,
                 " takes"),
          "send less at once"};
}

}  // namespace

/// Writes pieces as chunks, or as they are to a client that does not know chunks.
class Connection::ChunkedStream final : public Stream {
 public:
  explicit ChunkedStream(Connection& connection) : connection_(connection) {}

  Awaitable<bool> Send(std::string text) override {
    if (!ok_ || text.empty()) co_return ok_;
    std::string size;
    if (connection_.chunked_) {
      char digits[20];
      std::snprintf(digits, sizeof digits, "%zx\r\n", text.size());
      size = digits;
      text += "\r\n";
    }
    ok_ = co_await connection_.Send(std::move(size), std::move(text));
    co_return ok_ && !connection_.draining_;
  }

  bool ok() const { return ok_; }

 private:
  Connection& connection_;
  bool ok_ = true;
};

Connection::Connection(asio::ip::tcp::socket socket, const Limits& limits, Application& application, ServerStats& stats)
    : stream_(std::move(socket)), limits_(limits), application_(application), stats_(stats) {
  error_code ignored;
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  const auto peer = stream_.socket().remote_endpoint(ignored);
  peer_ = Concat(peer.address().to_string(), ":", peer.port());
}

Connection::~Connection() = default;

Awaitable<void> Connection::Run() {
  for (bool more = true; more && !draining_;) more = co_await RunOne();
  co_await Linger();
}

void Connection::Drain() {
  draining_ = true;
  if (hangup_) hangup_->Raise();
  if (!working_) Close();
}

void Connection::Close() {
  error_code ignored;
  stream_.socket().cancel(ignored);
  stream_.close();
}

Awaitable<bool> Connection::RunOne() {
  if (buffer_.size() == 0) {
    const bool bytes = co_await AwaitBytes();
    if (!bytes) co_return false;
  }
  working_ = true;
  Parser parser;
  const bool read = co_await ReadHead(parser);
  if (!read) co_return false;
  Request request = Describe(parser);
  chunked_ = parser.get().version() >= 11;
  const bool wants_more = parser.keep_alive();
  std::optional<Response> refused;
  const std::string_view expected = request.headers.Get("Expect");
  if (request.headers.Count("Host") != 1 && chunked_) {
    ++stats_.malformed;
    refused = ToResponse({400, "malformed", "exactly one header 'Host' is expected"}, request.target);
  } else if (!expected.empty() && !SameWord(expected, "100-continue")) {
    refused = ToResponse({417, "expectation", "header 'Expect': only 100-continue is known"}, request.target);
  } else {
    refused = application_.Admit(request);
  }
  if (!refused) refused = co_await ReadBody(parser, request);
  if (refused) {
    const bool keep = wants_more && parser.is_done() && !draining_;
    const bool written = co_await Write(request, std::move(*refused), keep);
    co_return written&& keep;
  }
  hangup_ = std::make_shared<SocketHangup>(stream_.socket());
  request.hangup = hangup_.get();
  Response response = co_await application_.Respond(request);
  const bool keep = wants_more && !draining_;
  const bool written = co_await Write(request, std::move(response), keep);
  hangup_->Retire();
  hangup_.reset();
  working_ = false;
  co_return written&& keep;
}

/// The first bytes of a request. Where connections are scarce none may idle for long.
Awaitable<bool> Connection::AwaitBytes() {
  working_ = false;
  const bool scarce = stats_.open > limits_.connections / 10 * 9;
  stream_.expires_after(scarce || first_ ? limits_.head : limits_.idle);
  first_ = false;
  const auto space = buffer_.prepare(kReadAtOnce);
  const auto [code, size] = co_await stream_.async_read_some(space, kTuple);
  buffer_.commit(size);
  if (code == beast::error::timeout) ++stats_.timed_out;
  co_return !code && !draining_;
}

Awaitable<bool> Connection::ReadHead(Parser& parser) {
  parser.header_limit(limits_.head_bytes);
  parser.body_limit(boost::none);  // Known once the route is.
  stream_.expires_after(limits_.head);
  const auto [code, size] = co_await beast::http::async_read_header(stream_, buffer_, parser, kTuple);
  if (!code) co_return true;
  if (code == beast::error::timeout) ++stats_.timed_out;
  const std::optional<Refusal> refusal = RefusalOf(code, limits_);
  if (!refusal) co_return false;
  ++stats_.malformed;
  const Request unread;
  Response response = ToResponse(*refusal, "");
  co_await Write(unread, std::move(response), false);
  co_return false;
}

Request Connection::Describe(const Parser& parser) const {
  Request request;
  const auto& head = parser.get();
  request.method = std::string(head.method_string());
  request.target = std::string(head.target());
  request.peer = peer_;
  for (const auto& field : head) request.headers.Add(std::string(field.name_string()), std::string(field.value()));
  request.has_body = parser.chunked() || parser.content_length().value_or(0) > 0;
  return request;
}

Awaitable<std::optional<Response>> Connection::ReadBody(Parser& parser, Request& request) {
  const std::uint64_t length = parser.content_length().value_or(0);
  if (length > request.body_limit) co_return ToResponse(BodyTooLarge(request), request.target);
  parser.body_limit(request.body_limit);
  if (parser.is_done()) co_return std::nullopt;
  if (!request.headers.Get("Expect").empty()) {
    const bool asked = co_await Continue();
    if (!asked)
      co_return ToResponse({400, "malformed", "the connection was closed before the body came"}, request.target);
  }
  const double most = static_cast<double>(parser.chunked() ? request.body_limit : length);
  stream_.expires_after(
      limits_.grace + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(most / limits_.bytes_per_s)));
  const auto [code, size] = co_await beast::http::async_read(stream_, buffer_, parser, kTuple);
  if (code == beast::http::error::body_limit) co_return ToResponse(BodyTooLarge(request), request.target);
  if (code == beast::error::timeout) ++stats_.timed_out;  // The stream has closed the socket.
  if (code) {
    ++stats_.malformed;
    const Refusal unknown{400, "malformed", Concat("the body cannot be read: ", code.message())};
    co_return ToResponse(RefusalOf(code, limits_).value_or(unknown), request.target);
  }
  request.body = std::move(parser.get().body());
  stats_.bytes_in += static_cast<std::int64_t>(request.body.size());
  co_return std::nullopt;
}

/// Asks the client for the body that it holds back.
Awaitable<bool> Connection::Continue() {
  std::string head = "HTTP/1.1 100 Continue\r\n\r\n";
  co_return co_await Send(std::move(head), std::string());
}

Awaitable<bool> Connection::Write(const Request& request, Response response, bool keep) {
  if (response.stream) co_return co_await WriteStreamed(request, std::move(response), keep);
  std::string head = HeadOf(response, keep, !chunked_ && !request.method.empty());
  if (HasBody(response.status)) head += Concat("Content-Length: ", response.body.size(), "\r\n");
  head += "\r\n";
  if (request.method == "HEAD" || !HasBody(response.status)) response.body.clear();
  co_return co_await Send(std::move(head), std::move(response.body));
}

Awaitable<bool> Connection::WriteStreamed(const Request& request, Response response, bool keep) {
  keep = keep && chunked_;  // Else the end of the connection is the end of the body.
  std::string head = HeadOf(response, keep, !chunked_);
  head += chunked_ ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n";
  const bool begun = co_await Send(std::move(head), std::string());
  if (!begun || request.method == "HEAD") co_return begun&& keep;
  ChunkedStream stream(*this);
  co_await response.stream(stream);
  if (!stream.ok() || !chunked_) co_return false;
  std::string end = "0\r\n\r\n";
  const bool ended = co_await Send(std::move(end), std::string());
  co_return ended&& keep;
}

Awaitable<bool> Connection::Send(std::string head, std::string body) {
  const std::array<asio::const_buffer, 2> pieces = {asio::buffer(head), asio::buffer(body)};
  const double size = static_cast<double>(head.size() + body.size());
  stream_.expires_after(
      limits_.grace + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(size / limits_.bytes_per_s)));
  const auto [code, written] = co_await asio::async_write(stream_, pieces, kTuple);
  stats_.bytes_out += static_cast<std::int64_t>(written);
  if (code == beast::error::timeout) ++stats_.timed_out;
  stream_.expires_never();
  co_return !code;
}

/// Closes our side and reads on for a moment: a client that still sends would lose the answer to a reset.
Awaitable<void> Connection::Linger() {
  error_code ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  if (ignored) co_return;
  stream_.expires_after(limits_.linger);
  for (std::size_t left = kLingerBytes; left > 0;) {
    buffer_.clear();
    const auto space = buffer_.prepare(kReadAtOnce);
    const auto [code, size] = co_await stream_.async_read_some(space, kTuple);
    if (code) co_return;
    left -= std::min(left, size);
  }
}

Awaitable<void> Connection::TurnAway() {
  Refusal refusal = RetryLater(503, "too-many-connections", "the server has as many connections as it takes", 1s);
  Response response = ToResponse(refusal, "");
  const Request unread;
  co_await Write(unread, std::move(response), false);
}

}  // namespace kgym::http
