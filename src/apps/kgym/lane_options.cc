#include "apps/kgym/lane_options.h"

#include "base/text.h"

namespace kgym::app {

Result<Duration> ReadDuration(const char* option, const std::string& text) {
  Result<Duration> duration = ParseDuration(text);
  if (!duration.ok()) return Within(option, duration.error());
  if (*duration < Duration(0)) return Error{Concat(option, ": '", text, "'; it cannot be negative")};
  return duration;
}

Result<std::vector<judge::JudgeConfig>> JudgesOf(const judge::JudgeConfig& config, const std::string& devices) {
  std::vector<judge::JudgeConfig> judges;
  for (const std::string& device : Split(devices, ',')) {
    judge::JudgeConfig one = config;
    one.device = std::string(Trim(device));
    if (const std::string fault = one.Fault(); !fault.empty()) return Error{"--devices: " + fault};
    judges.push_back(std::move(one));
  }
  if (judges.empty()) judges.push_back(config);
  return judges;
}

Result<std::map<std::string, std::string>> ReadLabels(const std::string& text) {
  std::map<std::string, std::string> labels;
  for (const std::string& word : Split(text, ',')) {
    const std::size_t equals = word.find('=');
    const std::string name(Trim(std::string_view(word).substr(0, equals)));
    if (equals == std::string::npos || name.empty())
      return Error{Concat("--labels: '", word, "'; NAME=VALUE is expected, with commas between several")};
    if (name == "device" || name == "backend")
      return Error{Concat("--labels: '", name, "' is what a lane finds out itself; use another name")};
    labels[name] = std::string(Trim(std::string_view(word).substr(equals + 1)));
  }
  return labels;
}

}  // namespace kgym::app
