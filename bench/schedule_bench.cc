// The schedule, measured. First what a decision costs with much waiting, on this machine's clock; then a service of
// 1,000 GPUs and a million tasks on a virtual clock, under this schedule and under first come first served, from the
// same arrivals and failures. Nothing is asserted.
//
//   schedule_bench [--json FILE] [--scale 1] [--seed 1] [--waiting 100000]
#include <sys/utsname.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "base/json.h"
#include "service/schedule/decide.h"
#include "service/schedule/simulator/random.h"
#include "service/schedule/simulator/simulate.h"

namespace kgym::service::simulator {
namespace {

struct Options {
  std::string json;
  double scale = 1;
  std::uint64_t seed = 1;
  std::uint64_t waiting = 100'000;
};

double UsSince(Instant start, std::uint64_t count) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() /
         static_cast<double>(count);
}

Waiting RandomTask(Random& random, std::uint64_t sequence) {
  Waiting task{.id = "task-" + std::to_string(sequence), .sequence = sequence};
  task.tenant = "tenant" + std::to_string(random.Below(20));
  task.run = "run" + std::to_string(random.Below(10));
  task.priority = static_cast<int>(random.Below(3));
  if (random.Below(2) == 0) task.labels["card"] = random.Below(2) == 0 ? "H100" : "A100";
  task.affinity = "problem" + std::to_string(random.Below(2000));
  task.hold_s = random.LogNormal(0.6, 0.6);
  task.submitted_ms = static_cast<std::int64_t>(sequence / 2);
  return task;
}

/// What it costs to keep `waiting` tasks: one is taken by a lane with eight warm problems, one comes.
Json CostOfDecisions(const Options& options) {
  Random random(options.seed);
  Backlog backlog;
  const PoolId pools[] = {backlog.PoolFor({{"card", "H100"}, {"device", "cuda"}}),
                          backlog.PoolFor({{"card", "A100"}, {"device", "cuda"}})};
  LaneView lane;
  std::uint64_t sequence = 0;
  Instant start = std::chrono::steady_clock::now();
  while (sequence < options.waiting) backlog.Add(RandomTask(random, ++sequence));
  const double add_us = UsSince(start, options.waiting);

  constexpr std::uint64_t kDecisions = 100'000;
  double decide_us = 0;
  for (std::uint64_t i = 0; i < kDecisions; ++i) {
    lane.pool = pools[i % 2];
    lane.warm.clear();
    for (int n = 0; n < 8; ++n) lane.warm.push_back(AffinityKey("problem" + std::to_string(random.Below(2000))));
    std::ranges::sort(lane.warm);
    backlog.Add(RandomTask(random, ++sequence));
    start = std::chrono::steady_clock::now();
    const Decisions decisions = Decide(backlog, {&lane, 1}, 0);
    decide_us += UsSince(start, kDecisions);
    if (decisions.assigned.size() != 1) std::abort();
  }
  std::printf("%llu waiting, 20 tenants, 200 runs: a decision %.2f us, an arrival %.2f us\n",
              static_cast<unsigned long long>(options.waiting), decide_us, add_us);
  return {{"waiting", options.waiting}, {"decide_us", decide_us}, {"add_us", add_us}};
}

std::string Seconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 10 ? "%.3f s" : "%.0f s", seconds);
  return text;
}

void Row(const std::string& what, const std::string& fifo, const std::string& ours) {
  std::printf("  %-44s %16s %16s\n", what.c_str(), fifo.c_str(), ours.c_str());
}

std::string Percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %%", 100 * share);
  return text;
}

std::string Number(double value, const char* format) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

void PrintPair(const Report& fifo, const Report& ours) {
  const auto warm = [](const Report& r) {
    return Percent(static_cast<double>(r.warm_starts) / static_cast<double>(r.starts));
  };
  const auto count = [](std::int64_t n) { return std::to_string(n); };
  Row("", fifo.policy, ours.policy);
  Row("tasks ended", count(fifo.done + fifo.dead), count(ours.done + ours.dead));
  Row("of these dead after 3 attempts", count(fifo.dead), count(ours.dead));
  Row("redelivered after a failure", count(fifo.redelivered), count(ours.redelivered));
  Row("most waiting at once", count(fifo.most_waiting), count(ours.most_waiting));
  Row("time for all of it", Seconds(fifo.makespan_s), Seconds(ours.makespan_s));
  Row("tasks a second", Number(static_cast<double>(fifo.done) / fifo.makespan_s, "%.0f"),
      Number(static_cast<double>(ours.done) / ours.makespan_s, "%.0f"));
  Row("lanes busy, over all", Percent(fifo.utilisation), Percent(ours.utilisation));
  Row("lanes busy, while their work waited", Percent(fifo.utilisation_loaded), Percent(ours.utilisation_loaded));
  Row("starts on a warm lane", warm(fifo), warm(ours));
  Row("Jain, mean over windows", Number(fifo.jain_mean, "%.4f"), Number(ours.jain_mean, "%.4f"));
  Row("Jain, 5 % worst windows", Number(fifo.jain_low, "%.4f"), Number(ours.jain_low, "%.4f"));
  for (const auto& [name, waits] : ours.waits) {
    Row("wait p50, " + name, Seconds(fifo.waits.at(name).p50), Seconds(waits.p50));
    Row("wait p99, " + name, Seconds(fifo.waits.at(name).p99), Seconds(waits.p99));
  }
  for (const auto& [name, turns] : ours.steps) {
    Row("turn p50, " + name, Seconds(fifo.steps.at(name).p50), Seconds(turns.p50));
    Row("turn p99, " + name, Seconds(fifo.steps.at(name).p99), Seconds(turns.p99));
  }
  Row("this machine: a decision", Number(fifo.decide_wall_us, "%.2f us"), Number(ours.decide_wall_us, "%.2f us"));
  Row("this machine: the whole simulation", Seconds(fifo.wall_s), Seconds(ours.wall_s));
}

Json Machine() {
  utsname system{};
  uname(&system);
  return {{"kernel", system.release}, {"cores", std::thread::hardware_concurrency()}, {"compiler", __VERSION__}};
}

int Run(const Options& options) {
  Json record = {{"at", WallTime()}, {"machine", Machine()}, {"scale", options.scale}, {"seed", options.seed}};
  record["decisions"] = CostOfDecisions(options);
  Scenario scenario = Standard(options.scale);
  scenario.seed = options.seed;
  std::printf("simulated: %d machines of 8 lanes, tasks %lld and what its last turns bring\n",
              scenario.fleet.machines[0].count + scenario.fleet.machines[1].count,
              static_cast<long long>(scenario.tasks));
  const Report fifo = Simulate(scenario, *FifoScheduler());
  const Report ours = Simulate(scenario, *FairScheduler());
  PrintPair(fifo, ours);
  record["simulations"] = {ToJson(fifo), ToJson(ours)};
  if (options.json.empty()) return 0;
  std::ofstream file(options.json);
  file << DumpJson(record, 2) << "\n";
  if (file.good()) return 0;
  std::fprintf(stderr, "schedule_bench: cannot write %s\n", options.json.c_str());
  return 1;
}

}  // namespace
}  // namespace kgym::service::simulator

int main(int argc, char** argv) {
  kgym::service::simulator::Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--json") options.json = argv[i + 1];
    if (name == "--scale") options.scale = std::strtod(argv[i + 1], nullptr);
    if (name == "--seed") options.seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--waiting") options.waiting = std::strtoull(argv[i + 1], nullptr, 10);
  }
  return kgym::service::simulator::Run(options);
}
