#include "judge/workflow/toolkit.h"

#include <algorithm>
#include <set>

#include "base/fd.h"
#include "base/text.h"
#include "judge/claims.h"
#include "judge/ruling.h"

namespace kgym::judge {
namespace {

constexpr std::size_t kLongestFileName = 100;
constexpr std::size_t kLongestReason = 4096;

// Of a card, for a step: nobody knows what a toolkit takes before it runs.
constexpr std::int64_t kStepCardBytes = std::int64_t{4} << 30;

StepRecord Failure(Ruling ruling) {
  StepRecord record;
  record.state = StepRecord::State::kFailed;
  record.outcome = ruling.outcome;
  record.reason = TruncateUtf8(ToUtf8(ruling.reason), kLongestReason);  // It may quote what a host said.
  record.evidence = std::move(ruling.evidence);
  return record;
}

StepRecord Failure(Outcome outcome, std::string reason) {
  return Failure({outcome, std::move(reason), {{"stage", "output"}}});
}

/// A relative path of plain names: what is written under it stays below the folder where it is put.
bool IsFileName(const std::string& name) {
  if (name.empty() || name.size() > kLongestFileName || name.ends_with('/')) return false;
  const std::vector<std::string> parts = Split(name, '/');
  return std::ranges::all_of(parts, [](const std::string& part) {
    return !part.empty() && part.front() != '.' && std::ranges::all_of(part, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
             c == '-';
    });
  });
}

Answer NotAsked(const std::string& why) {
  Answer answer;
  answer.what = Answer::What::kEnded;
  answer.detail = why;
  return answer;
}

/// The names of the files that were sent behind the output; an error where that is not what a host sends.
Result<std::vector<std::string>> FileNames(const Answer& answer) {
  const Json& list = Claimed(answer.body, "files");
  if (!list.is_array() || list.size() > kMostStepFiles || answer.fds.size() != list.size() + 1)
    return Error{"its host sent other files than it names"};
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const Json& name : list) {
    if (!name.is_string() || !IsFileName(name.get_ref<const std::string&>()) ||
        !seen.insert(name.get<std::string>()).second)
      return Error{Concat("its host names a file '", ToUtf8(DumpJson(name).substr(0, 80)), "'")};
    names.push_back(name.get<std::string>());
  }
  return names;
}

}  // namespace

StepRecord TakeStep(Answer answer, const TypedFields& output) {
  Result<std::vector<std::string>> names = FileNames(answer);
  if (!names.ok()) return Failure(Outcome::kRejectedResultForgery, names.error().message);
  const Result<std::string> bytes = ReadMemfd(answer.fds[0].get(), kMostOutputBytes);
  if (!bytes.ok()) {
    return Failure(Outcome::kFailShape, Concat("its output cannot be read (", bytes.error().message, "); at most ",
                                               FormatBytes(kMostOutputBytes), " of JSON is expected"));
  }
  Result<Json> said = ParseJson(*bytes, "its output");
  if (!said.ok()) return Failure(Outcome::kRejectedResultForgery, said.error().message);
  Result<Json> complete = Complete(output, std::move(*said), "its output");
  if (!complete.ok()) return Failure(Outcome::kFailShape, complete.error().message);
  StepRecord record;
  std::size_t left = kMostStepFileBytes;
  for (std::size_t i = 0; i < names->size(); ++i) {
    Result<std::string> file = ReadMemfd(answer.fds[i + 1].get(), left);
    if (!file.ok()) {
      return Failure(Outcome::kFailShape, Concat("its file '", (*names)[i], "' cannot be read (", file.error().message,
                                                 "); at most ", FormatBytes(kMostStepFileBytes), " in all are kept"));
    }
    left -= file->size();
    record.files.push_back({(*names)[i], std::move(*file)});
  }
  record.state = StepRecord::State::kOk;
  record.outcome = Outcome::kOk;
  record.output = std::move(*complete);
  return record;
}

namespace {

Awaitable<Answer> Load(Host& host, const std::string& name, const Toolkit& toolkit, Duration limit) {
  Result<Fd> source = SealedMemfd("kgym-toolkit", toolkit.source);
  if (!source.ok()) co_return NotAsked(source.error().message);
  Json request = {{"op", "toolkit"}, {"name", name}, {"path", toolkit.path}};
  std::vector<int> fds = {source->get()};
  co_return co_await host.Call(std::move(request), std::move(fds), limit);
}

std::string WhatWentWrong(const Answer& answer) {
  return answer.what == Answer::What::kFailed ? ClaimedText(answer.body, "message") : answer.detail;
}

}  // namespace

Awaitable<Result<Signature>> DescribeToolkit(Host& host, const std::string& name, const Toolkit& toolkit,
                                             Duration limit) {
  const Answer answer = co_await Load(host, name, toolkit, limit);
  if (answer.what != Answer::What::kDone) co_return Error{Concat(toolkit.path, ": ", WhatWentWrong(answer))};
  Signature signature{name, ClaimedText(answer.body, "description"), {}, {}};
  KGYM_CO_TRY(signature.input, ReadTypedFields(Claimed(answer.body, "input"), toolkit.path + ": Input"));
  KGYM_CO_TRY(signature.output, ReadTypedFields(Claimed(answer.body, "output"), toolkit.path + ": Output"));
  co_return signature;
}

Awaitable<Result<StepRecord>> RunToolkit(Lane& lane, const JudgeConfig& config, const Toolkit& toolkit,
                                         const Step& step, const Json& input) {
  MemoryLedger::Claim memory;
  if (lane.device().on_gpu()) memory = co_await lane.Reserve(kStepCardBytes);
  KGYM_CO_TRY(const std::unique_ptr<Host> host, co_await lane.TakeCandidate(config.limits));
  const Answer loaded = co_await Load(*host, step.toolkit, toolkit, config.limits.load);
  if (loaded.what != Answer::What::kDone)
    co_return Error{Concat(toolkit.path, ": it loaded before and does not now: ", WhatWentWrong(loaded))};

  KGYM_CO_TRY(const Fd bytes, SealedMemfd("kgym-step", DumpJson(input)));
  const Duration limit = std::min(step.limit.value_or(config.limits.step), config.limits.step);
  Gate::Exclusive alone;
  if (step.measure) {
    std::vector<Host*> own = {host.get()};
    alone = co_await lane.gate().Measure(limit, std::move(own));
    alone.Quiet();
  }
  const std::int64_t cpu_ns = host->CpuNs();
  const Instant start = std::chrono::steady_clock::now();
  Json request = {{"op", "step"}};
  std::vector<int> fds = {bytes.get()};
  Answer answer = co_await host->Call(std::move(request), std::move(fds), limit);
  const Duration wall = answer.received - start;
  const Duration cpu = Duration(host->CpuNs() - cpu_ns);
  alone.Release();
  const std::string stage = Concat("step '", step.name, "'");
  MaybeRuling ruling = RuleOnAnswer(answer, stage, host->OutOfMemory());
  StepRecord record = ruling ? Failure(std::move(*ruling)) : TakeStep(std::move(answer), toolkit.signature.output);
  record.wall_ms = ToMs(wall);
  record.cpu_ms = ToMs(cpu);
  record.log = host->output().Text();
  co_await host->End();
  co_return record;
}

}  // namespace kgym::judge
