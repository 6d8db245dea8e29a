// One line a message, to stderr, with time and level. For what a person running kgym should know while it runs; what
// belongs to an evaluation goes into its verdict instead.
//
// The level comes from the environment variable KGYM_LOG (debug, info, warning, error, off); info where it is not set.
//
// Threads: any.
#pragma once

#include <string_view>

namespace kgym {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

void SetLogLevel(LogLevel level);

/// Whether a message of this level would be written; for messages that cost something to compose.
bool LogEnabled(LogLevel level);

void LogDebug(std::string_view message);
void LogInfo(std::string_view message);
void LogWarning(std::string_view message);
void LogError(std::string_view message);

}  // namespace kgym
