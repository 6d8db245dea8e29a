// Running coroutines from main: to their end, side by side, or until somebody presses Ctrl-C.
//
// Threads: all of it runs on the thread that calls WithJudge.
#pragma once

#include <cstddef>
#include <functional>

#include "apps/kgym/exit_code.h"
#include "apps/kgym/options.h"
#include "base/async.h"
#include "base/result.h"
#include "judge/judge.h"

namespace kgym::app {

/// The judge's configuration from its sources; an error is a sentence for the person who wrote them.
Result<judge::JudgeConfig> LoadConfig(const ConfigSource& source);

/// Starts a judge, gives it to `use`, closes it. SIGINT and SIGTERM cancel `use` and give kInterrupted; a second one
/// ends the program at once. A judge that does not start is complained about: kOurFault.
int WithJudge(judge::JudgeConfig config, bool json, std::function<Awaitable<int>(judge::Judge&)> use);

/// As WithJudge, but `failed` says what a start that failed means.
int WithJudge(judge::JudgeConfig config, std::function<Awaitable<int>(judge::Judge&)> use,
              std::function<int(const Error&)> failed);

/// The value of `work`, or kInterrupted where SIGINT or SIGTERM came first; `work` has then been cancelled and has
/// ended.
Awaitable<int> UntilSignal(Awaitable<int> work);

/// body(0) to body(count - 1), begun in that order, at most `jobs` at once. Returns when all have ended.
Awaitable<void> ForEach(std::size_t count, int jobs, std::function<Awaitable<void>(std::size_t)> body);

}  // namespace kgym::app
