#include "apps/kgym/await.h"

#include <unistd.h>

#include <algorithm>

#include "apps/kgym/console.h"
#include "apps/kgym/evaluation_table.h"
#include "apps/kgym/json_path.h"
#include "apps/kgym/run.h"
#include "base/text.h"

namespace kgym::app {
namespace {

constexpr int kAtOnce = 32;       // Long-polls side by side.
constexpr int kPollSeconds = 50;  // Shorter than what stands between client and server is patient with silence.
constexpr int kPage = 1000;

/// An evaluation, a row that says that it is not known, or why nothing more can be asked.
struct One {
  Json row;
  Answer failed;
};

One OneOf(const std::string& id, Answer answer) {
  if (answer.ok()) return {std::move(answer.json), {}};
  if (answer.status == 404) return {{{"id", ToUtf8(id)}, {"error", answer.fault}}, {}};
  return {nullptr, std::move(answer)};
}

Awaitable<One> AwaitOne(Remote& remote, const std::string& id) {
  const std::string path = Concat(EvaluationPath(id), "?wait=", kPollSeconds);
  while (true) {
    Answer answer = co_await remote.Get(path, std::chrono::seconds(kPollSeconds + 30));
    const bool again = answer.ok() && !HasEnded(answer.json);
    if (!again) co_return OneOf(id, std::move(answer));
  }
}

Awaitable<One> GetOne(Remote& remote, const std::string& id) {
  Answer answer = co_await remote.Get(EvaluationPath(id));
  co_return OneOf(id, std::move(answer));
}

Awaitable<Rows> AskAll(const std::vector<std::string>& ids, std::function<Awaitable<One>(const std::string&)> ask,
                       std::function<void(const std::string&, const Json&)> told) {
  Rows all;
  all.rows.resize(ids.size());
  const auto body = [&](std::size_t i) -> Awaitable<void> {
    if (!all.failed.ok()) co_return;
    One one = co_await ask(ids[i]);
    if (!one.failed.ok()) {
      all.failed = std::move(one.failed);
      co_return;
    }
    all.rows[i] = std::move(one.row);
    told(ids[i], all.rows[i]);
  };
  Awaitable<void> asking = ForEach(ids.size(), kAtOnce, body);
  co_await std::move(asking);
  co_return all;
}

}  // namespace

Awaitable<Rows> AwaitAll(Remote& remote, const std::vector<std::string>& ids, Progress& progress) {
  const std::function<Awaitable<One>(const std::string&)> ask = [&remote](const std::string& id) {
    return AwaitOne(remote, id);
  };
  const std::function<void(const std::string&, const Json&)> told =
      [&progress](const std::string& id, const Json& row) { progress.Step(Concat(id, "  ", StandingOf(row))); };
  Awaitable<Rows> asking = AskAll(ids, ask, told);
  co_return co_await std::move(asking);
}

Awaitable<Rows> GetAll(Remote& remote, const std::vector<std::string>& ids) {
  const std::function<Awaitable<One>(const std::string&)> ask = [&remote](const std::string& id) {
    return GetOne(remote, id);
  };
  const std::function<void(const std::string&, const Json&)> told = [](const std::string&, const Json&) {};
  Awaitable<Rows> asking = AskAll(ids, ask, told);
  co_return co_await std::move(asking);
}

Awaitable<Rows> ListAll(Remote& remote, const std::string& run, const std::string& state, int limit) {
  Rows all;
  std::string cursor;
  do {
    const int left = limit == 0 ? kPage : limit - static_cast<int>(all.rows.size());
    const std::string path =
        "/v1/evaluations" +
        Query({{"run", run}, {"state", state}, {"limit", std::to_string(std::min(left, kPage))}, {"cursor", cursor}});
    Answer answer = co_await remote.Get(path);
    if (!answer.ok()) {
      all.failed = std::move(answer);
      co_return all;
    }
    for (const Json& line : Lookup(answer.json, "evaluations")) all.rows.push_back(line);
    const Json& next = Lookup(answer.json, "next");
    cursor = next.is_string() ? next.get<std::string>() : "";
  } while (!cursor.empty() && (limit == 0 || all.rows.size() < static_cast<std::size_t>(limit)));
  co_return all;
}

ExitCode ShowEnded(const std::vector<Json>& evaluations, bool json) {
  ExitCode code = kFine;
  for (const Json& one : evaluations) {
    code = Worse(code, CodeOf(one));
    if (json) PrintJson(one);
  }
  if (json) return code;
  const bool colour = ColourWanted(STDOUT_FILENO);
  if (evaluations.size() == 1) {
    Print(EvaluationText(evaluations.front(), colour));
  } else {
    Print(EvaluationTable(evaluations, colour) + "\n" + CountsOf(evaluations) + "\n");
  }
  return code;
}

std::vector<std::string> IdsOf(const std::vector<Json>& rows) {
  std::vector<std::string> ids;
  for (const Json& row : rows) {
    if (const Json& id = Lookup(row, "id"); id.is_string()) ids.push_back(id.get<std::string>());
  }
  return ids;
}

}  // namespace kgym::app
