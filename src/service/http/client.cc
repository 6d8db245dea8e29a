#include "service/http/client.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <charconv>

#include "base/text.h"

namespace kgym::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;

using boost::system::error_code;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
constexpr Duration kConnect = 10s;
constexpr std::size_t kIdle = 32;
constexpr std::size_t kLongestLine = std::size_t{64} << 20;
constexpr std::uint64_t kLargestAnswer = std::uint64_t{256} << 20;

using Message = beast::http::request<beast::http::string_body>;
using Parser = beast::http::response_parser<beast::http::string_body>;

Message Compose(const ServerUrl& url, const std::string& token, beast::http::verb method, const std::string& path) {
  Message message(method, path, 11);
  message.set(beast::http::field::host, url.Authority());
  message.set(beast::http::field::user_agent, "kgym");
  if (!token.empty()) message.set(beast::http::field::authorization, "Bearer " + token);
  return message;
}

std::optional<Duration> RetryAfter(const Parser& parser) {
  if (parser.get().result_int() != 429 && parser.get().result_int() != 503) return std::nullopt;
  const auto header = parser.get()[beast::http::field::retry_after];
  int seconds = 0;
  const auto [end, fault] = std::from_chars(header.data(), header.data() + header.size(), seconds);
  if (fault != std::errc() || end != header.data() + header.size() || seconds < 0) return std::nullopt;
  return std::chrono::seconds(seconds);
}

ClientReply ReplyOf(unsigned status, const std::string& body, std::optional<Duration> retry_after = {}) {
  ClientReply reply{.status = static_cast<int>(status), .retry_after = retry_after};
  if (Result<Json> json = ParseJson(body, "answer"); json.ok()) reply.json = *std::move(json);
  return reply;
}

}  // namespace

std::string ServerUrl::Authority() const {
  const bool v6 = host.find(':') != std::string::npos;
  return Concat(v6 ? "[" : "", host, v6 ? "]" : "", ":", port);
}

std::string ServerUrl::Text() const { return "http://" + Authority(); }

Result<ServerUrl> ParseServerUrl(const std::string& url) {
  constexpr std::string_view kScheme = "http://";
  if (url.starts_with("https://"))
    return Error{Concat("'", url,
                        "': TLS is not spoken here; reach the server through a tunnel (ssh -L, WireGuard) "
                        "with http://")};
  if (!url.starts_with(kScheme)) return Error{Concat("'", url, "'; http://HOST[:PORT] is expected")};
  std::string_view rest = std::string_view(url).substr(kScheme.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  ServerUrl parsed;
  const std::size_t bracket = rest.starts_with('[') ? rest.find(']') : 0;
  const std::size_t colon = bracket == std::string_view::npos ? bracket : rest.find(':', bracket);
  std::string_view host = rest.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (colon != std::string_view::npos) {
    const std::string_view digits = rest.substr(colon + 1);
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed.port);
    if (fault != std::errc() || end != digits.data() + digits.size() || parsed.port == 0)
      return Error{Concat("'", url, "': port '", digits, "'; 1 to 65535 is expected")};
  }
  if (host.empty() || host.find_first_of("/?#@ []") != std::string_view::npos)
    return Error{Concat("'", url, "'; http://HOST[:PORT] is expected, with nothing behind it")};
  parsed.host = std::string(host);
  return parsed;
}

std::string ClientReply::Type() const {
  if (!json.is_object() || !json.contains("type") || !json["type"].is_string()) return "";
  const std::string type = json["type"].get<std::string>();
  return type.substr(type.rfind(':') + 1);
}

std::string ClientReply::Detail() const {
  if (json.is_object() && json.contains("detail") && json["detail"].is_string())
    return json["detail"].get<std::string>();
  return Concat("it answered ", status);
}

Client::Client(Executor executor, ServerUrl url, std::string token)
    : executor_(std::move(executor)), url_(std::move(url)), token_(std::move(token)) {}

struct Client::Question {
  Method method;
  std::string path;
  std::string body;
  Duration limit;
  std::string type;
};

Awaitable<Result<ClientReply>> Client::Post(std::string path, Json body, Duration limit) {
  co_return co_await Send(Method::post, std::move(path), DumpJson(body), limit);
}

Awaitable<Result<ClientReply>> Client::Send(Method method, std::string path, std::string body, Duration limit,
                                            std::string type) {
  const Question question{method, std::move(path), std::move(body), limit, std::move(type)};
  while (!idle_.empty()) {
    std::unique_ptr<Stream> kept = std::move(idle_.back());
    idle_.pop_back();
    Result<ClientReply> reply = co_await Ask(*kept, question);
    if (!reply.ok()) break;  // The server had closed it, most likely.
    if (kept->socket().is_open()) idle_.push_back(std::move(kept));
    co_return reply;
  }
  idle_.clear();
  auto fresh = std::make_unique<Stream>(executor_);
  KGYM_CO_TRY_VOID(co_await Connect(*fresh));
  Result<ClientReply> reply = co_await Ask(*fresh, question);
  if (reply.ok() && fresh->socket().is_open() && idle_.size() < kIdle) idle_.push_back(std::move(fresh));
  co_return reply;
}

Awaitable<Status> Client::Connect(Stream& stream) {
  asio::ip::tcp::resolver resolver(executor_);
  const auto [unresolved, places] = co_await resolver.async_resolve(url_.host, std::to_string(url_.port), kTuple);
  if (unresolved) co_return Lost(unresolved.message());
  stream.expires_after(kConnect);
  const auto [code, where] = co_await stream.async_connect(places, kTuple);
  if (code) co_return Lost(code.message());
  reached_ = true;
  error_code ignored;
  stream.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  co_return Ok();
}

/// Closes the stream where it cannot be used again.
Awaitable<Result<ClientReply>> Client::Ask(Stream& stream, const Question& question) {
  Message message = Compose(url_, token_, question.method, question.path);
  if (!question.body.empty()) message.set(beast::http::field::content_type, question.type);
  message.body() = question.body;
  message.prepare_payload();
  stream.expires_after(question.limit);
  const auto [unsent, sent] = co_await beast::http::async_write(stream, message, kTuple);
  Parser parser;
  parser.body_limit(kLargestAnswer);
  beast::flat_buffer buffer;
  // A server that refuses early closes before it has read all: its answer is there to be read.
  const auto [unread, size] = co_await beast::http::async_read(stream, buffer, parser, kTuple);
  if (unsent || unread) stream.close();
  if (unread) co_return Lost((unsent ? unsent : unread).message());
  if (!parser.keep_alive()) stream.close();
  if (parser.get()[beast::http::field::content_type] == "application/octet-stream") {
    ClientReply reply{.status = static_cast<int>(parser.get().result_int())};
    reply.bytes = std::move(parser.get().body());
    co_return reply;
  }
  co_return ReplyOf(parser.get().result_int(), parser.get().body(), RetryAfter(parser));
}

void Client::Reading::end() {
  ended_ = true;
  if (stream_ != nullptr) stream_->close();
}

Awaitable<Status> Client::Follow(std::string path, Duration silence, std::shared_ptr<Reading> reading,
                                 std::function<bool(std::string_view)> line) {
  Stream stream(executor_);
  struct Shown {  // To whoever ends the reading, for as long as the stream is here.
    explicit Shown(Reading& of, Stream& stream) : of_(of) { of_.stream_ = &stream; }
    ~Shown() { of_.stream_ = nullptr; }
    Reading& of_;
  } shown(*reading, stream);
  KGYM_CO_TRY_VOID(co_await Connect(stream));
  if (reading->ended_) co_return Lost("it was ended here");
  Message message = Compose(url_, token_, beast::http::verb::get, path);
  stream.expires_after(silence);
  const auto [unsent, sent] = co_await beast::http::async_write(stream, message, kTuple);
  if (unsent) co_return Lost(unsent.message());
  Parser parser;
  parser.body_limit(boost::none);
  beast::flat_buffer buffer;
  const auto [unread, head] = co_await beast::http::async_read_header(stream, buffer, parser, kTuple);
  if (unread) co_return Lost(unread.message());
  const bool fine = parser.get().result_int() == 200;
  std::string pending;
  while (!parser.is_done()) {
    stream.expires_after(silence);
    const auto [code, size] = co_await beast::http::async_read_some(stream, buffer, parser, kTuple);
    if (code) co_return Lost(code.message());
    pending += parser.get().body();
    parser.get().body().clear();
    if (pending.size() > kLongestLine) co_return Lost("a line of its answer is longer than 64 MiB");
    std::size_t begin = 0;
    for (std::size_t end; fine && (end = pending.find('\n', begin)) != std::string::npos; begin = end + 1) {
      if (end > begin && !line(std::string_view(pending).substr(begin, end - begin))) co_return Ok();
    }
    pending.erase(0, begin);
  }
  if (!fine) co_return Lost(ReplyOf(parser.get().result_int(), pending).Detail());
  co_return Lost("it ended its answer");
}

Error Client::Lost(const std::string& why) const { return Error{Concat(url_.Text(), ": ", why)}; }

}  // namespace kgym::http
