#include "service/schedule/simulator/report.h"

#include <algorithm>
#include <cmath>

namespace kgym::service::simulator {
namespace {

Json ToJson(const std::map<std::string, Quantiles>& all) {
  Json json = Json::object();
  for (const auto& [name, q] : all) json[name] = {{"p50_s", q.p50}, {"p99_s", q.p99}, {"max_s", q.max}};
  return json;
}

}  // namespace

Quantiles QuantilesOf(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  const auto at = [&](double share) {
    return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
  };
  return {at(0.5), at(0.99), values.back()};
}

double Jain(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double value : values) sum += value, squares += value * value;
  return squares == 0 ? 1 : sum * sum / (static_cast<double>(values.size()) * squares);
}

Json ToJson(const Report& report) {
  return {{"policy", report.policy},
          {"submitted", report.submitted},
          {"done", report.done},
          {"dead", report.dead},
          {"redelivered", report.redelivered},
          {"starts", report.starts},
          {"warm_starts", report.warm_starts},
          {"makespan_s", report.makespan_s},
          {"utilisation", report.utilisation},
          {"utilisation_loaded", report.utilisation_loaded},
          {"jain_mean", report.jain_mean},
          {"jain_low", report.jain_low},
          {"jain_windows", report.jain_windows},
          {"most_waiting", report.most_waiting},
          {"waits", ToJson(report.waits)},
          {"steps", ToJson(report.steps)},
          {"wall_s", report.wall_s},
          {"decide_wall_us", report.decide_wall_us}};
}

}  // namespace kgym::service::simulator
