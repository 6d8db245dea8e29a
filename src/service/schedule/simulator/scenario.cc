#include "service/schedule/simulator/scenario.h"

#include <algorithm>
#include <cmath>

namespace kgym::service::simulator {
namespace {

int Scaled(int count, double scale) { return std::max(1, static_cast<int>(std::lround(count * scale))); }

}  // namespace

Scenario Standard(double scale) {
  const Labels h100 = {{"card", "H100"}, {"device", "cuda"}}, a100 = {{"card", "A100"}, {"device", "cuda"}};
  Scenario scenario;
  scenario.tasks = static_cast<std::int64_t>(1e6 * scale);
  scenario.fleet.machines = {{Scaled(75, scale), 8, h100}, {Scaled(50, scale), 8, a100}};
  scenario.fleet.lane_mtbf_s = 20'000;
  scenario.fleet.machine_mtbf_s = 20'000;

  std::vector<Trainer>& trainers = scenario.trainers;
  for (int i = 0; i < 2; ++i) {
    trainers.push_back({.tenant = "large",
                        .run = "large" + std::to_string(i),
                        .labels = {{"card", "H100"}},
                        .groups = Scaled(512, scale)});
  }
  for (int i = 0; i < 4; ++i) {
    trainers.push_back({.tenant = "middle",
                        .run = "middle" + std::to_string(i),
                        .labels = {{"device", "cuda"}},
                        .groups = Scaled(128, scale),
                        .start_s = 7.0 * i});
  }
  for (int i = 0; i < 10; ++i) {
    trainers.push_back({.tenant = "small" + std::to_string(i % 5),
                        .run = "run" + std::to_string(i),
                        .labels = {{"device", "cuda"}},
                        .groups = Scaled(16, scale),
                        .rollouts = 8,
                        .start_s = 3.0 * i});
  }
  for (int i = 0; i < 4; ++i) {
    trainers.push_back({.tenant = "middle",
                        .run = "person" + std::to_string(i),
                        .priority = 2,
                        .groups = 1,
                        .rollouts = 1,
                        .turns = 1,
                        .spread_s = 1,
                        .training_s = 2});
  }
  trainers.push_back({.tenant = "sweep",
                      .run = "sweep",
                      .priority = 0,
                      .groups = Scaled(15'000, scale),
                      .rollouts = 16,
                      .turns = 1,
                      .spread_s = 1,
                      .start_s = 120,
                      .steps = 1});
  return scenario;
}

}  // namespace kgym::service::simulator
