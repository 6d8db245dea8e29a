// A run of a workflow on a judge, as a worker's task.
//
// Threads: the judge's executor.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "judge/judge.h"
#include "service/api/lanes.h"

namespace kgym::service {

/// What the judge has, as a lane's label: "kernelbench|nbody"; empty where it has none.
std::string WorkflowsOf(judge::Judge& judge);

/// `stage` is told each step as it begins: "step:simulate". `suite`: the folder of the built-in suite, for steps that
/// evaluate; empty: where it usually is. Otherwise as Lanes::Run().
Awaitable<Ran> RunWorkflowTask(judge::Judge& judge, const std::string& suite, const Task& task, bool last,
                               std::function<void(std::string_view)> stage);

}  // namespace kgym::service
