#include "base/log.h"

#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace kgym {
namespace {

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

LogLevel LevelFromEnvironment() {
  const char* variable = std::getenv("KGYM_LOG");
  const std::string_view name = variable == nullptr ? "" : variable;
  if (name == "debug") return LogLevel::kDebug;
  if (name == "warning") return LogLevel::kWarning;
  if (name == "error") return LogLevel::kError;
  if (name == "off") return LogLevel::kOff;
  return LogLevel::kInfo;
}

spdlog::logger& Logger() {
  // Never destroyed: the end of the program may still log.
  static spdlog::logger* const logger = [] {
    auto* made = new spdlog::logger("kgym", std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>());
    made->set_pattern("%H:%M:%S.%e %^%l%$ %v");
    made->set_level(ToSpdlog(LevelFromEnvironment()));
    return made;
  }();
  return *logger;
}

void Write(LogLevel level, std::string_view message) {
  Logger().log(ToSpdlog(level), spdlog::string_view_t(message.data(), message.size()));
}

}  // namespace

void SetLogLevel(LogLevel level) { Logger().set_level(ToSpdlog(level)); }
bool LogEnabled(LogLevel level) { return level != LogLevel::kOff && Logger().should_log(ToSpdlog(level)); }
void LogDebug(std::string_view message) { Write(LogLevel::kDebug, message); }
void LogInfo(std::string_view message) { Write(LogLevel::kInfo, message); }
void LogWarning(std::string_view message) { Write(LogLevel::kWarning, message); }
void LogError(std::string_view message) { Write(LogLevel::kError, message); }

}  // namespace kgym
