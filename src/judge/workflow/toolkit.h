// A toolkit: a Python class that runs in a candidate host, with typed input and output, and files beside it.
//
// Its file is the operator's, and is sent to the host that runs it; whatever a submission does in there ends with the
// host. What comes back is JSON of a bounded size, checked against the toolkit's types, and a bounded number of files:
// anything else is the step's failure. Wall time is by the judge's own clock, CPU time by the kernel's account of all
// that the host started; neither can be written from inside.
//
// Threads: the lane's executor.
#pragma once

#include <cstddef>
#include <string>

#include "base/async.h"
#include "judge/lane.h"
#include "judge/workflow/workflow_run.h"

namespace kgym::judge {

struct Toolkit {
  std::string path;  // For messages.
  std::string source;
  Signature signature;
};

inline constexpr std::size_t kMostOutputBytes = std::size_t{4} << 20;  // Of a step's output as JSON.
inline constexpr std::size_t kMostStepFiles = 32;
inline constexpr std::size_t kMostStepFileBytes = std::size_t{64} << 20;  // All files of a step together.

/// Asks a fresh candidate host what a toolkit takes and gives. An error is the toolkit's: its file and what is wrong.
Awaitable<Result<Signature>> DescribeToolkit(Host& host, const std::string& name, const Toolkit& toolkit,
                                             Duration limit);

/// One step in a host of its own. An error is the judge's fault.
Awaitable<Result<StepRecord>> RunToolkit(Lane& lane, const JudgeConfig& config, const Toolkit& toolkit,
                                         const Step& step, const Json& input);

/// What a host's answer hands back of a step: the output and the files, or how that is not what `output` says.
StepRecord TakeStep(Answer answer, const TypedFields& output);

}  // namespace kgym::judge
