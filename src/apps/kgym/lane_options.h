// What `serve` and `worker` are told of the lanes of this machine, read.
//
// Threads: any; pure functions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/duration.h"
#include "base/result.h"
#include "judge/judge_config.h"

namespace kgym::app {

/// Not negative. An error names the option.
Result<Duration> ReadDuration(const char* option, const std::string& text);

/// One for each of "cuda:0,cuda:1"; the configuration's own device where the list is empty.
Result<std::vector<judge::JudgeConfig>> JudgesOf(const judge::JudgeConfig& config, const std::string& devices);

/// "pool=a,rack=7".
Result<std::map<std::string, std::string>> ReadLabels(const std::string& text);

}  // namespace kgym::app
