// How many evaluations an hour, from a cold start on, and where their time goes.
#include <algorithm>
#include <map>
#include <numeric>

#include "base/text.h"
#include "gpu_kernels.h"
#include "gpu_parts.h"
#include "judge/statistics.h"

namespace kgym::bench {
namespace {

// On an H100 with 16 cores; the same kind of work (KernelGYM at its defaults, and a prototype of the scheduling alone).
constexpr double kTargetTriton = 15000, kTargetCuda = 3000, kTargetColdS = 15;
constexpr const char* kBeside = "KernelGYM 135, a prototype of the scheduling alone 17000";
constexpr std::size_t kLeastEvaluations = 200;

constexpr const char* kStages[] = {"wait_ms",     "build_ms", "open_ms",   "memory_ms",
                                   "host_ms",     "begin_ms", "load_ms",   "correctness_ms",
                                   "own_work_ms", "gate_ms",  "timing_ms", "last_look_ms"};

double SecondsSince(Instant start) { return ToSeconds(std::chrono::steady_clock::now() - start); }

/// A stage as it stands for itself: what was waited for the gate is told by `gate_ms` and is part of `timing_ms`.
double OwnMs(const Ran& ran, std::string_view stage) {
  return ran.stage_ms(stage) - (stage == "timing_ms" ? ran.stage_ms("gate_ms") : 0);
}

double SumMs(const std::vector<Ran>& all, std::string_view stage) {
  return std::accumulate(all.begin(), all.end(), 0.0,
                         [stage](double sum, const Ran& ran) { return sum + OwnMs(ran, stage); });
}

/// Where the time goes: median and share of each stage. What no stage names is "rest".
void ReportStages(const std::vector<Ran>& all, Report& report) {
  const double total = SumMs(all, "total_ms");
  Json stages = Json::object();
  std::vector<std::string> words;
  double named = 0;
  const auto add = [&](const std::string& name, double median, double share) {
    stages[name] = {{"median_ms", median}, {"share", share}};
    words.push_back(Concat(name, " ", median, " ms ", std::round(1000 * share) / 10, " %"));
  };
  for (const char* stage : kStages) {
    std::vector<double> values;
    for (const Ran& ran : all) values.push_back(OwnMs(ran, stage));
    const double sum = SumMs(all, stage);
    named += sum;
    if (sum > 0) add(stage, judge::Median(values), sum / total);
  }
  std::vector<double> totals;
  for (const Ran& ran : all) totals.push_back(ran.stage_ms("total_ms"));
  stages["rest"] = {{"share", (total - named) / total}};
  stages["total_ms"] = {{"median_ms", judge::Median(totals)}, {"p99_ms", Quantile(totals, 0.99)}};
  report.Detail("stages", stages);
  report.Note(Concat("stages (median, share): ", Join(words, ", "), "; total ", judge::Median(totals), " ms"));
}

/// One kernel for each of `count` problems, evenly over all; every kernel where it is 0.
std::vector<Item> Mix(const std::vector<Item>& all, int count) {
  if (count == 0) return all;
  std::map<std::string, const Item*> first;
  for (const Item& item : all) first.try_emplace(item.problem.Hash(), &item);
  std::vector<const Item*> distinct;
  for (const Item& item : all) {
    if (first[item.problem.Hash()] == &item) distinct.push_back(&item);
  }
  const std::size_t wanted = std::min(distinct.size(), static_cast<std::size_t>(count));
  std::vector<Item> mix;
  for (std::size_t i = 0; i < wanted; ++i) mix.push_back(*distinct[i * distinct.size() / wanted]);
  return mix;
}

/// Shares of the wall time in which the card was measured on, and of the evaluations' time that was waiting.
void ReportShares(const std::string& name, const std::vector<Ran>& all, double wall_ms, std::optional<double> nvml,
                  Report& report) {
  const bool gate_known =
      std::ranges::any_of(all, [](const Ran& ran) { return ran.verdict.stages.contains("gate_ms"); });
  const double total = SumMs(all, "total_ms");
  const double waited = SumMs(all, "wait_ms") + SumMs(all, "gate_ms");
  report.Add({name + "_queueing_share",
              waited / total,
              "",
              all.size(),
              {},
              {},
              gate_known ? "waiting for the lane and for its gate" : "waiting for the lane alone"});
  if (gate_known) {
    report.Add({name + "_gate_held_share",
                SumMs(all, "timing_ms") / wall_ms,
                "",
                all.size(),
                {},
                {},
                "of the wall time the card was measured on"});
  } else {
    report.Note("waiting for the gate is not told apart in stages (gate_ms): it is in timing_ms");
  }
  double timed = 0;
  for (const Ran& ran : all) {
    for (const char* side : {"reference", "candidate"}) {
      if (!ran.verdict.timing.is_object()) continue;
      const Json& summary = ran.verdict.timing[side];
      timed += summary.value("mean_ms", 0.0) * summary.value("trials", 0.0);
    }
  }
  report.Add({name + "_timed_calls_share",
              timed / wall_ms,
              "",
              all.size(),
              {},
              {},
              "of the wall time in counted calls: a lower bound of how busy the card was"});
  if (nvml)
    report.Add(
        {name + "_nvml_busy_share", *nvml, "", all.size(), {}, {}, "of the time in which any kernel ran, by NVML"});
}

/// Outcomes counted; those that are not as the cases say, named.
void ReportOutcomes(const std::vector<Ran>& all, Report& report) {
  std::map<std::string, int> outcomes;
  for (const Ran& ran : all) {
    ++outcomes[ran.outcome];
    if (!ran.item->Expects(ran.outcome)) report.Unexpected(Concat(ran.item->name, ": ", ran.outcome, ": ", ran.reason));
  }
  std::vector<std::string> words;
  for (const auto& [outcome, count] : outcomes) words.push_back(Concat(count, " ", outcome));
  report.Detail("outcomes", outcomes);
  report.Note("outcomes: " + Join(words, ", "));
}

/// What to measure a rate with: work in a closed loop, for a time and a number of evaluations at least.
struct Load {
  std::string name;
  const std::vector<Item>& items;
  bool distinct = true;
  Duration length{};
  std::size_t least = 0;
  double target = 0;
  std::string beside;
};

Awaitable<void> MeasureRate(Bench& bench, const Load& load) {
  const Taken before = co_await LookWhenSettled(bench.card);
  const Instant start = std::chrono::steady_clock::now();
  std::optional<Instant> enough;
  const auto group = static_cast<std::size_t>(bench.options.group);
  std::function<const Item*()> next = [&, begun = std::size_t{0}]() mutable -> const Item* {
    const Instant now = std::chrono::steady_clock::now();
    if (begun >= load.least && now - start >= load.length) {
      if (!enough) enough = now;
      return nullptr;
    }
    return &load.items[begun++ / group % load.items.size()];
  };
  BusyMeter meter(co_await boost::asio::this_coro::executor, bench.card);
  std::vector<Ran> all = co_await RunMany(bench.judge, bench.options.in_flight, load.distinct, std::move(next));
  const std::optional<double> busy = meter.Stop();
  ReportOutcomes(all, bench.report);
  const Taken after = co_await LookWhenSettled(bench.card);
  ReportGrowth(load.name, before, after, all.size(), bench.report);
  // What ends after no more is asked for runs in a lane that empties: it is no part of the rate.
  std::erase_if(all, [&](const Ran& ran) { return ran.ended > *enough || ran.outcome == "problem"; });
  if (all.empty()) co_return bench.report.Note("no evaluation ended in time");
  const double wall_ms = ToMs(*enough - start);
  bench.report.Detail("wall_s", wall_ms / 1e3);
  bench.report.Detail("in_flight", bench.options.in_flight);
  bench.report.Detail("group", bench.options.group);
  bench.report.Add({load.name + "_per_hour",
                    static_cast<double>(all.size()) * 3.6e6 / wall_ms,
                    "/h",
                    all.size(),
                    load.target,
                    {},
                    load.beside});
  ReportShares(load.name, all, wall_ms, busy, bench.report);
  ReportStages(all, bench.report);
  ReportAsked(all, bench.report);
}

}  // namespace

void ReportAsked(const std::vector<Ran>& all, Report& report) {
  std::map<std::string, std::pair<double, double>> sums;  // Count and milliseconds.
  for (const Ran& ran : all) {
    const Json asked = ran.verdict.stages.value("asked", Json::object());
    for (const auto& [op, spent] : asked.items()) {
      sums[op].first += spent.value("count", 0.0);
      sums[op].second += spent.value("ms", 0.0);
    }
  }
  if (sums.empty()) return;
  const auto count = static_cast<double>(all.size());
  Json asked = Json::object();
  std::vector<std::string> words;
  for (const auto& [op, sum] : sums) {
    asked[op] = {{"count", sum.first / count}, {"ms", sum.second / count}};
    words.push_back(Concat(op, " ", sum.first / count, " x, ", sum.second / count, " ms"));
  }
  report.Detail("asked", asked);
  report.Note("asked (mean an evaluation): " + Join(words, ", "));
}

Awaitable<void> Cold(Bench& bench) {
  bench.report.Part("cold", "from the start of this process to the first verdict");
  bench.report.Add(
      {"judge_ready_s", SecondsSince(bench.process_start), "s", 1, {}, {}, "zygote with torch and triton"});
  const Item item = SmallKernel(bench.config);
  const Ran ran = co_await RunOne(bench.judge, item, true);
  if (!item.Expects(ran.outcome)) bench.report.Unexpected(Concat(item.name, ": ", ran.outcome, ": ", ran.reason));
  bench.report.Add({"first_verdict_s", SecondsSince(bench.process_start), "s", 1, {}, kTargetColdS, ""});
  bench.report.Detail("stages", ran.verdict.stages);
}

Awaitable<void> Throughput(Bench& bench) {
  const std::vector<Item> items = Mix(bench.triton, bench.options.mix);
  std::vector<std::string> problems;
  for (const Item& item : items) problems.push_back(item.problem.Hash());
  std::ranges::sort(problems);
  const auto distinct = std::ranges::unique(problems);
  problems.erase(distinct.begin(), distinct.end());
  bench.report.Part("throughput", Concat("distinct Triton submissions, ", items.size(), " kernels, ", problems.size(),
                                         " problems, ", bench.options.in_flight, " in flight"));
  if (items.empty()) co_return bench.report.Note("no Triton cases for this device: not measured");
  bench.report.Detail("problems", problems.size());
  std::vector<std::string> names;  // The rate is that of these, and of no others.
  for (const Item& item : items) names.push_back(item.name);
  bench.report.Detail("mix", names);
  const std::size_t least = std::min<std::size_t>(kLeastEvaluations, 2 * items.size());
  // Opening a problem is paid once: what is measured is how it goes on.
  co_await RunMany(bench.judge, bench.options.in_flight, true, Rounds(items, 1));
  const Load load{"throughput", items,         true,   std::chrono::seconds(bench.options.seconds),
                  least,        kTargetTriton, kBeside};
  co_await MeasureRate(bench, load);
}

Awaitable<void> Cached(Bench& bench) {
  bench.report.Part("cached", Concat("CUDA submissions whose build is in the cache, ", bench.cuda.size(), " kernels"));
  if (bench.cuda.empty()) co_return bench.report.Note("no CUDA cases for this device: not measured");
  const Instant start = std::chrono::steady_clock::now();
  const std::vector<Ran> built = co_await RunMany(bench.judge, bench.options.in_flight, false, Rounds(bench.cuda, 1));
  bench.report.Add({"cuda_first_round_s",
                    SecondsSince(start),
                    "s",
                    built.size(),
                    {},
                    {},
                    Concat("with building, ", bench.config.build_jobs, " at once; not counted")});
  const Load load{
      "cached",    bench.cuda,     false, std::chrono::seconds(bench.options.seconds / 2), 2 * bench.cuda.size(),
      kTargetCuda, "KernelGYM 135"};
  co_await MeasureRate(bench, load);
}

}  // namespace kgym::bench
