#include "apps/kgym/remote.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <optional>

#include "apps/kgym/console.h"
#include "apps/kgym/lane_options.h"
#include "apps/kgym/run.h"
#include "base/files.h"
#include "base/text.h"
#include "service/api/data_folder.h"
#include "service/http/server.h"
#include "service/http/target.h"

namespace kgym::app {
namespace {

namespace asio = boost::asio;

constexpr Duration kSilence = 90s;
constexpr Duration kFirstPause = 100ms, kLongestPause = 2s;
constexpr std::string_view kData = "data: ";  // Of a server-sent event.

Instant Now() { return std::chrono::steady_clock::now(); }

std::filesystem::path TokenFile() { return service::DefaultDataFolder() / "token"; }

/// The server's own, where it is on this machine: it is nobody else's business.
std::string KeptToken(const http::ServerUrl& url) {
  if (!http::IsLoopback(url.host) && url.host != "localhost") return "";
  const Result<std::string> text = ReadFile(TokenFile(), 4096);
  return text.ok() ? std::string(Trim(*text)) : "";
}

}  // namespace

Remote::Remote(Executor executor, http::ServerUrl url, std::string token, Duration patience)
    : client_(std::move(executor), std::move(url), std::move(token)), patience_(patience) {}

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
  co_return co_await Ask(Method::get, std::move(path), "", limit);
}

Awaitable<Answer> Remote::Post(std::string path, Json body) {
  co_return co_await Ask(Method::post, std::move(path), DumpJson(body), kAnswer);
}

Awaitable<Answer> Remote::Delete(std::string path) {
  co_return co_await Ask(Method::delete_, std::move(path), "", kAnswer);
}

Awaitable<Answer> Remote::Ask(Method method, std::string path, std::string body, Duration limit) {
  const Instant until = Now() + patience_;
  Duration pause = kFirstPause;
  while (true) {
    Result<http::ClientReply> reply = co_await client_.Send(method, path, body, limit);
    if (reply.ok() && !reply->retry_after) co_return AnswerOf(*std::move(reply));
    const Duration wait = reply.ok() ? *reply->retry_after : pause;
    const bool may_come = reply.ok() || client_.reached();
    if (!may_come || Now() + wait > until)
      co_return reply.ok() ? AnswerOf(*std::move(reply)) : Unreached(reply.error());
    const std::string why = reply.ok() ? reply->Detail() : reply.error().message;
    tell_(Concat(why, "; asking again in ", FormatDuration(wait)));
    co_await SleepFor(wait);
    pause = std::min(2 * pause, kLongestPause);
  }
}

Answer Remote::AnswerOf(http::ClientReply reply) const {
  const int status = reply.status;
  Answer answer{status, std::move(reply.json), "", kFine};
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
  const std::function<bool(std::string_view)> line = [event](std::string_view text) {
    if (!text.starts_with(kData)) return true;
    if (const Result<Json> data = ParseJson(text.substr(kData.size()), "event"); data.ok()) event(*data);
    return true;
  };
  co_return co_await client_.Follow(std::move(path), kSilence, std::make_shared<http::Client::Reading>(), line);
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
