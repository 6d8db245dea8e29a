// kgym submit: hands submissions, or a run of a workflow, to a server, and with --wait prints what comes of them.
#include <algorithm>
#include <map>

#include "apps/kgym/await.h"
#include "apps/kgym/commands.h"
#include "apps/kgym/console.h"
#include "apps/kgym/json_path.h"
#include "apps/kgym/request.h"
#include "apps/kgym/table.h"
#include "base/text.h"

namespace kgym::app {
namespace {

constexpr std::size_t kBatch = 200;  // A server takes 1,000, and 64 MiB.
constexpr std::size_t kBatchBytes = std::size_t{16} << 20;

using Batch = std::vector<Request*>;

/// In order; those that have a body.
std::vector<Batch> BatchesOf(std::vector<Request>& requests) {
  std::vector<Batch> batches;
  std::size_t bytes = 0;
  for (Request& request : requests) {
    if (request.body.is_null()) continue;
    const std::size_t size = DumpJson(request.body).size();
    if (batches.empty() || batches.back().size() == kBatch || bytes + size > kBatchBytes) {
      batches.emplace_back();
      bytes = 0;
    }
    batches.back().push_back(&request);
    bytes += size;
  }
  return batches;
}

/// Those of the batch for which the queue had no room; `told` has what became of the others, by id.
Batch Take(const Batch& batch, const Json& items, std::map<std::string, Json>& told) {
  Batch full;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Json& item = Lookup(items, std::to_string(i));
    const Json& status = Lookup(item, "status");
    if (status == "full") {
      full.push_back(batch[i]);
    } else if (status == "accepted" || status == "known") {
      told[batch[i]->id] = {{"id", batch[i]->id}, {"status", status}, {"state", Lookup(item, "state")}};
    } else {
      const Json& detail = Lookup(item, "error.detail");
      batch[i]->error = detail.is_string() ? detail.get<std::string>() : "the server did not say what became of it";
    }
  }
  return full;
}

/// Until each is taken or refused. A batch that is refused as a whole is sent one by one: one of them is at fault.
Awaitable<Answer> Send(Remote& remote, Batch batch, std::map<std::string, Json>& told) {
  while (!batch.empty()) {
    Json body = {{"evaluations", Json::array()}};
    for (const Request* request : batch) body["evaluations"].push_back(request->body);
    Answer answer = co_await remote.Post("/v1/evaluations:batch", std::move(body));
    if (answer.ok()) {
      batch = Take(batch, Lookup(answer.json, "evaluations"), told);
      continue;
    }
    if (answer.status != 422) co_return answer;
    if (batch.size() == 1) {
      batch.front()->error = answer.fault;
      co_return Answer();
    }
    for (Request* request : batch) {
      Answer alone = co_await Send(remote, Batch(1, request), told);
      if (!alone.ok()) co_return alone;
    }
    co_return Answer();
  }
  co_return Answer();
}

std::string HowToWait(const SubmitOptions& options, const Requests& requests) {
  const std::string what = requests.all.size() == 1 ? requests.all.front().id : "--run " + requests.run;
  return Concat("`kgym wait ", what, options.remote.url.empty() ? "" : " --url " + options.remote.url, "`");
}

/// The rows that were not taken, each with its sentence.
ExitCode TellRefused(const Requests& requests, bool json) {
  ExitCode code = kFine;
  for (const Request& request : requests.all) {
    if (request.error.empty()) continue;
    code = kBadInput;
    const std::string where = requests.all.size() == 1 ? "" : request.name + ": ";
    Complain(where + request.error, false);
    if (json) PrintJson({{"id", request.id}, {"row", request.number}, {"error", ToUtf8(request.error)}});
  }
  return code;
}

void TellTaken(const SubmitOptions& options, const Requests& requests, const std::map<std::string, Json>& told) {
  int known = 0;
  for (const Request& request : requests.all) {
    const auto found = told.find(request.id);
    if (found == told.end()) continue;
    if (options.json) PrintJson(found->second);
    known += Lookup(found->second, "status") == "known" ? 1 : 0;
  }
  if (options.json || told.empty()) return;
  const std::string before = known == 0 ? "" : Concat(" (", known, " of them known before)");
  const std::string what =
      requests.all.size() == 1
          ? Concat(requests.all.front().id, known == 0 ? "  accepted" : "  known before")
          : Concat(told.size(), " of ", requests.all.size(), " accepted", before, " as run ", requests.run);
  Print(Concat(what, options.wait ? "" : "; " + HowToWait(options, requests) + " tells the verdict", "\n"));
}

Awaitable<int> WaitFor(Remote& remote, const SubmitOptions& options, const std::map<std::string, Json>& told,
                       const Requests& requests, Progress& progress) {
  std::vector<std::string> ids;
  for (const Request& request : requests.all) {
    if (told.contains(request.id)) ids.push_back(request.id);
  }
  progress.Stage("waiting ...");
  const Rows all = co_await AwaitAll(remote, ids, progress);
  progress.Clear();
  if (!all.failed.ok()) {
    Complain(Concat(all.failed.fault, "; ", HowToWait(options, requests), " goes on"), options.json);
    co_return all.failed.code;
  }
  co_return ShowEnded(all.rows, options.json);
}

Awaitable<int> Submit(Remote& remote, const SubmitOptions& options, Requests& requests) {
  Progress progress(static_cast<int>(requests.all.size()));
  remote.TellWaits([&progress](std::string_view why) { progress.Say(why); });
  std::map<std::string, Json> told;
  Answer failed;
  for (const Batch& batch : BatchesOf(requests.all)) {
    if (!failed.ok()) break;
    progress.Stage(Concat("submitting, ", told.size(), " accepted ..."));
    failed = co_await Send(remote, batch, told);
  }
  progress.Clear();
  const ExitCode refused = TellRefused(requests, options.json);
  if (!options.wait || !options.json) TellTaken(options, requests, told);
  ExitCode code = Worse(failed.code, refused);
  if (!failed.ok()) Complain(failed.fault, options.json);
  if (options.wait && failed.ok() && !told.empty()) {
    const int waited = co_await WaitFor(remote, options, told, requests, progress);
    code = Worse(code, static_cast<ExitCode>(waited));
  }
  remote.TellWaits([](std::string_view) {});
  co_return code;
}

/// The server knows the types of a workflow's fields.
Awaitable<int> SubmitWorkflow(Remote& remote, const SubmitOptions& options) {
  const Answer offered = co_await remote.Get("/v1/workflows");
  if (!offered.ok()) co_return Complain(offered.fault, options.json), offered.code;
  Result<Requests> requests = ReadWorkflowRequest(options, offered.json);
  if (!requests.ok()) co_return Complain(requests.error().message, options.json), kBadInput;
  co_return co_await Submit(remote, options, *requests);
}

}  // namespace

int Run(const SubmitOptions& options) {
  if (!options.workflow.empty())
    return WithRemote(options.remote, options.json, [&](Remote& remote) { return SubmitWorkflow(remote, options); });
  Result<Requests> requests = ReadRequests(options);
  if (!requests.ok()) return Complain(requests.error().message, options.json), kBadInput;
  return WithRemote(options.remote, options.json, [&](Remote& remote) { return Submit(remote, options, *requests); });
}

}  // namespace kgym::app
