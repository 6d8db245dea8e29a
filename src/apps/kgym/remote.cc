#include "apps/kgym/remote.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <charconv>
#include <optional>

#include "apps/kgym/console.h"
#include "apps/kgym/lane_options.h"
#include "apps/kgym/run.h"
#include "base/files.h"
#include "base/text.h"
#include "service/api/serve.h"
#include "service/http/server.h"
#include "service/http/target.h"

namespace kgym::app {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
constexpr Duration kConnect = 10s, kSilence = 90s;
constexpr Duration kFirstPause = 100ms, kLongestPause = 2s;
constexpr std::string_view kData = "data: ";  // Of a server-sent event.
constexpr std::uint64_t kLargestAnswer = std::uint64_t{256} << 20;

using Method = beast::http::verb;
using Parser = beast::http::response_parser<beast::http::string_body>;

Instant Now() { return std::chrono::steady_clock::now(); }

std::filesystem::path TokenFile() { return service::DefaultDataFolder() / "token"; }

/// The server's own, where it is on this machine: it is nobody else's business.
std::string KeptToken(const http::ServerUrl& url) {
  if (!http::IsLoopback(url.host) && url.host != "localhost") return "";
  const Result<std::string> text = ReadFile(TokenFile(), 4096);
  return text.ok() ? std::string(Trim(*text)) : "";
}

std::optional<Duration> RetryAfter(const Parser& parser) {
  if (parser.get().result_int() != 429 && parser.get().result_int() != 503) return std::nullopt;
  const auto header = parser.get()[beast::http::field::retry_after];
  int seconds = 0;
  const auto [end, fault] = std::from_chars(header.data(), header.data() + header.size(), seconds);
  if (fault != std::errc() || end != header.data() + header.size() || seconds < 0) return std::nullopt;
  return std::chrono::seconds(seconds);
}

}  // namespace

struct Remote::Question {
  Method method;
  std::string path;
  std::string body;  // JSON, or empty.
  Duration limit;
};

struct Remote::Reply {
  http::ClientReply said;
  std::optional<Duration> retry_after;
};

Remote::Remote(Executor executor, http::ServerUrl url, std::string token, Duration patience)
    : executor_(std::move(executor)), url_(std::move(url)), token_(std::move(token)), patience_(patience) {}

Result<Remote> Remote::Open(const Executor& executor, const RemoteOptions& options) {
  http::ServerUrl url;
  if (!options.url.empty()) {
    Result<http::ServerUrl> parsed = http::ParseServerUrl(options.url);
    if (!parsed.ok()) return Within("--url", parsed.error());
    url = *std::move(parsed);
  }
  KGYM_TRY(const Duration patience, ReadDuration("--patience", options.patience));
  const std::string token = options.token.empty() ? KeptToken(url) : options.token;
  const bool sound = std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7f'; });
  if (!sound) return Error{"--token: printable ASCII without spaces is expected; check --token and KGYM_TOKEN"};
  return Remote(executor, std::move(url), token, patience);
}

Awaitable<Answer> Remote::Get(std::string path, Duration limit) {
  Question question{Method::get, std::move(path), "", limit};
  co_return co_await Ask(std::move(question));
}

Awaitable<Answer> Remote::Post(std::string path, Json body) {
  Question question{Method::post, std::move(path), DumpJson(body), kAnswer};
  co_return co_await Ask(std::move(question));
}

Awaitable<Answer> Remote::Delete(std::string path) {
  Question question{Method::delete_, std::move(path), "", kAnswer};
  co_return co_await Ask(std::move(question));
}

Awaitable<Answer> Remote::Ask(Question question) {
  const Instant until = Now() + patience_;
  Duration pause = kFirstPause;
  while (true) {
    Result<Reply> reply = co_await AskOnce(question);
    if (reply.ok() && !reply->retry_after) co_return AnswerOf(*std::move(reply));
    const Duration wait = reply.ok() ? *reply->retry_after : pause;
    const bool may_come = reply.ok() || reached_;
    if (!may_come || Now() + wait > until)
      co_return reply.ok() ? AnswerOf(*std::move(reply)) : Unreached(reply.error());
    const std::string why = reply.ok() ? reply->said.Detail() : reply.error().message;
    tell_(Concat(why, "; asking again in ", FormatDuration(wait)));
    co_await SleepFor(wait);
    pause = std::min(2 * pause, kLongestPause);
  }
}

Awaitable<Result<Remote::Reply>> Remote::AskOnce(const Question& question) {
  const auto lost = [this](const beast::error_code& code) { return Error{Concat(url_.Text(), ": ", code.message())}; };
  asio::ip::tcp::resolver resolver(executor_);
  const auto [unresolved, places] = co_await resolver.async_resolve(url_.host, std::to_string(url_.port), kTuple);
  if (unresolved) co_return lost(unresolved);
  beast::tcp_stream stream(executor_);
  stream.expires_after(kConnect);
  const auto [unconnected, place] = co_await stream.async_connect(places, kTuple);
  if (unconnected) co_return lost(unconnected);
  reached_ = true;
  beast::http::request<beast::http::string_body> message(question.method, question.path, 11);
  message.set(beast::http::field::host, url_.Authority());
  message.set(beast::http::field::user_agent, "kgym/" KGYM_VERSION);
  if (!token_.empty()) message.set(beast::http::field::authorization, "Bearer " + token_);
  if (!question.body.empty()) message.set(beast::http::field::content_type, "application/json");
  message.body() = question.body;
  message.keep_alive(false);
  message.prepare_payload();
  stream.expires_after(question.limit);
  const auto [unsent, sent] = co_await beast::http::async_write(stream, message, kTuple);
  Parser parser;
  parser.body_limit(kLargestAnswer);
  beast::flat_buffer buffer;
  // A server that refuses early closes before it has read all: its answer is there to be read.
  const auto [unread, size] = co_await beast::http::async_read(stream, buffer, parser, kTuple);
  if (unread) co_return lost(unsent ? unsent : unread);
  Reply reply{{static_cast<int>(parser.get().result_int()), nullptr}, RetryAfter(parser)};
  if (Result<Json> json = ParseJson(parser.get().body(), "answer"); json.ok()) reply.said.json = *std::move(json);
  co_return reply;
}

Answer Remote::AnswerOf(Reply reply) const {
  const int status = reply.said.status;
  Answer answer{status, std::move(reply.said.json), "", kFine};
  if (status >= 200 && status < 300 && answer.json.is_object()) return answer;
  answer.code = status >= 500 || status == 429 || status < 400 ? kOurFault : kBadInput;
  const http::ClientReply said{status, answer.json};
  answer.fault = said.Detail();
  if (said.Type().empty()) {
    answer.fault = Concat(url(), " answered ", status, ", and not as kgym does; is `kgym serve` what runs there?");
  } else if (status == 401) {
    answer.fault +=
        Concat("; pass the server's token with --token or KGYM_TOKEN; `kgym serve` prints it, and keeps it in ",
               TokenFile().string());
  } else if (reply.retry_after) {
    answer.fault += "; try again later, or with a longer --patience";
  }
  return answer;
}

Answer Remote::Unreached(const Error& error) const {
  return {0, nullptr, error.message + "; start a server with `kgym serve`, or name another with --url or KGYM_URL",
          kOurFault};
}

Awaitable<Status> Remote::Follow(std::string path, std::function<void(const Json&)> event) {
  http::Client client(executor_, url_, token_);
  const std::function<bool(std::string_view)> line = [event](std::string_view text) {
    if (!text.starts_with(kData)) return true;
    if (const Result<Json> data = ParseJson(text.substr(kData.size()), "event"); data.ok()) event(*data);
    return true;
  };
  co_return co_await client.Follow(std::move(path), kSilence, std::make_shared<http::Client::Reading>(), line);
}

int WithRemote(const RemoteOptions& options, bool json, const std::function<Awaitable<int>(Remote&)>& use) {
  asio::io_context io(1);
  Result<Remote> remote = Remote::Open(io.get_executor(), options);
  if (!remote.ok()) return Complain(remote.error().message, json), kBadInput;
  int code = kOurFault;
  const auto life = [&]() -> Awaitable<void> {
    Awaitable<int> working = use(*remote);
    code = co_await UntilSignal(std::move(working));
    if (code == kInterrupted) Complain("interrupted; what the server has accepted goes on", false);
  };
  Spawn(io.get_executor(), life());
  io.run();
  return code;
}

std::string EvaluationPath(std::string_view id) { return "/v1/evaluations/" + http::PercentEncode(id); }

std::string Query(const std::vector<std::pair<std::string, std::string>>& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters) {
    if (!value.empty()) text += Concat(text.empty() ? "?" : "&", name, "=", http::PercentEncode(value));
  }
  return text;
}

}  // namespace kgym::app
