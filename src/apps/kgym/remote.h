// A server, asked with patience: what is safe to ask twice is asked again where the answer was lost on the way, and
// what was refused for now (429, 503 with Retry-After) when the server says so.
//
// Evaluations have ids that are made here, so that all that is asked of a server is safe to ask twice.
//
// Threads: its executor, which is the thread of WithRemote. It must outlive its calls.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "apps/kgym/client_options.h"
#include "apps/kgym/exit_code.h"
#include "base/async.h"
#include "base/json.h"
#include "base/result.h"
#include "service/http/client.h"

namespace kgym::app {

/// What came of asking. `code` says whose fault it is where `fault`, a sentence with the next step, says what is wrong.
struct Answer {
  int status = 0;  // 0: there was none.
  Json json = nullptr;
  std::string fault;
  ExitCode code = kFine;

  bool ok() const { return code == kFine; }
};

class Remote {
 public:
  /// The address, the token and the patience of `options`; of the environment they were read before.
  static Result<Remote> Open(const Executor& executor, const RemoteOptions& options);

  /// `limit`: for one answer; a long-poll takes longer than others.
  Awaitable<Answer> Get(std::string path, Duration limit = kAnswer);
  Awaitable<Answer> Post(std::string path, Json body);
  Awaitable<Answer> Delete(std::string path);

  /// Calls `event` with the data of each server-sent event until the stream breaks off; the error says why.
  Awaitable<Status> Follow(std::string path, std::function<void(const Json&)> event);

  /// Is told why an answer takes so long.
  void TellWaits(std::function<void(std::string_view)> tell) { tell_ = std::move(tell); }

  std::string url() const { return client_.url().Text(); }

 private:
  static constexpr Duration kAnswer = std::chrono::seconds(60);
  using Method = http::Client::Method;

  Remote(Executor executor, http::ServerUrl url, std::string token, Duration patience);
  Awaitable<Answer> Ask(Method method, std::string path, std::string body, Duration limit);
  Answer AnswerOf(http::ClientReply reply) const;
  Answer Unreached(const Error& error) const;

  http::Client client_;  // A server that was reached may come back when it is not there.
  Duration patience_;
  std::function<void(std::string_view)> tell_ = [](std::string_view) {};
};

/// Opens the server, gives it to `use`, and returns its exit code; kInterrupted where SIGINT or SIGTERM came first.
int WithRemote(const RemoteOptions& options, bool json, const std::function<Awaitable<int>(Remote&)>& use);

/// "/v1/evaluations/<id>", percent-encoded.
std::string EvaluationPath(std::string_view id);

/// "?name=value&...", of those that have a value, percent-encoded; empty where none has.
std::string Query(const std::vector<std::pair<std::string, std::string>>& parameters);

}  // namespace kgym::app
