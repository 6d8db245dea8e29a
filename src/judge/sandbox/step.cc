#include "judge/sandbox/step.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

namespace kgym::judge::sandbox {

const char* ToString(Level level) {
  switch (level) {
    case Level::kFull:
      return "full";
    case Level::kPartial:
      return "partial";
    case Level::kNone:
      break;
  }
  return "none";
}

Step Full(std::string name, std::string detail) { return {std::move(name), Level::kFull, std::move(detail)}; }
Step Partial(std::string name, std::string detail) { return {std::move(name), Level::kPartial, std::move(detail)}; }
Step None(std::string name, std::string detail) { return {std::move(name), Level::kNone, std::move(detail)}; }
Step Failed(std::string name, const std::string& what) { return None(std::move(name), ErrnoText(what)); }

std::string ErrnoText(const std::string& what) {
  const int error = errno;
  const char* name = strerrorname_np(error);
  return what + ": " + std::strerror(error) + " (" + (name ? name : std::to_string(error)) + ")";
}

void Report::Add(std::vector<Step> more) {
  for (Step& step : more) steps.push_back(std::move(step));
}

Level Report::level() const {
  if (!Weakest()) return Level::kFull;
  const bool nothing = std::all_of(steps.begin(), steps.end(), [](const Step& s) { return s.level == Level::kNone; });
  return nothing ? Level::kNone : Level::kPartial;
}

const Step* Report::Weakest() const {
  const auto weak = std::find_if(steps.begin(), steps.end(), [](const Step& s) { return s.level != Level::kFull; });
  return weak == steps.end() ? nullptr : &*weak;
}

std::string Report::ToJson() const {
  nlohmann::json list = nlohmann::json::array();
  for (const Step& step : steps) {
    list.push_back({{"name", step.name}, {"level", ToString(step.level)}, {"detail", step.detail}});
  }
  const nlohmann::json report = {{"level", ToString(level())}, {"steps", std::move(list)}};
  // Details may quote paths, and a path may hold any bytes.
  return report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace kgym::judge::sandbox
