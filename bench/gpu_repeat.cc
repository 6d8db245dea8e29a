// What an evaluation costs beside the code it runs, and how well its times repeat.
#include <cmath>

#include "base/text.h"
#include "gpu_kernels.h"
#include "gpu_parts.h"
#include "judge/statistics.h"

namespace kgym::bench {
namespace {

constexpr double kTargetOverheadMs = 50, kTargetOverheadP99Ms = 150;
constexpr double kTargetShift = 1;    // Per cent between the medians at rest and in a crowd.
constexpr double kTargetInside = 95;  // Per cent of intervals that hold 1.0.
constexpr std::size_t kCrowd = 12;    // Evaluations in flight: the one that is looked at, and eleven others.
constexpr int kItselfSize = 2;        // Of KernelSizes().

/// The times of one item's evaluations that were ok.
struct Times {
  std::vector<double> candidate_ms, speedup;
};

Times TimesOf(const std::vector<Ran>& all, const Item& item, Report& report) {
  Times times;
  for (const Ran& ran : all) {
    if (ran.item != &item) continue;
    if (!item.Expects(ran.outcome)) report.Unexpected(Concat(item.name, ": ", ran.outcome, ": ", ran.reason));
    if (!ran.verdict.speedup || !ran.verdict.candidate_ms) continue;
    times.candidate_ms.push_back(*ran.verdict.candidate_ms);
    times.speedup.push_back(*ran.verdict.speedup);
  }
  return times;
}

/// Kernels among others: each comes `repeats` times, and whenever one is judged the rest of the crowd is there.
std::function<const Item*()> InACrowd(const std::vector<Item>& kernels, const std::vector<Item>& others,
                                      std::size_t repeats) {
  std::vector<const Item*> order;
  std::size_t other = 0;
  const auto fill = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) order.push_back(&others[other++ % others.size()]);
  };
  fill(kCrowd - kernels.size());
  for (std::size_t i = 0; i < repeats; ++i) {
    for (const Item& kernel : kernels) order.push_back(&kernel);
    fill(kCrowd - kernels.size());
  }
  fill(kCrowd);
  return [order = std::move(order), at = std::size_t{0}]() mutable -> const Item* {
    return at < order.size() ? order[at++] : nullptr;
  };
}

void ReportTimes(const KernelSize& size, const std::string& when, const Times& times, Report& report) {
  const std::string name = "repeat_" + size.name + "_" + when;
  const std::size_t runs = times.speedup.size();
  report.Add({name + "_time_us", 1e3 * judge::Median(times.candidate_ms), "us", runs});
  report.Add({name + "_time_cv",
              100 * judge::CoefficientOfVariation(times.candidate_ms),
              "%",
              runs,
              {},
              size.most_variation,
              ""});
  report.Add({name + "_speedup_cv",
              100 * judge::CoefficientOfVariation(times.speedup),
              "%",
              runs,
              {},
              size.most_variation,
              "KernelGYM 11.8"});
}

}  // namespace

Awaitable<void> Overhead(Bench& bench) {
  constexpr std::size_t kRuns = 100;
  bench.report.Part("overhead", Concat("a warm evaluation at rest, ", kRuns, " times"));
  const std::vector<Item> one = {SmallKernel(bench.config)};
  co_await RunMany(bench.judge, 1, true, Rounds(one, 3));
  const std::vector<Ran> all = co_await RunMany(bench.judge, 1, bench.config.on_gpu(), Rounds(one, kRuns));
  std::vector<double> total, overhead;
  Json stages = Json::object();
  for (const Ran& ran : all) {
    if (!one[0].Expects(ran.outcome)) bench.report.Unexpected(Concat(one[0].name, ": ", ran.outcome, ": ", ran.reason));
    if (ran.outcome != "ok") continue;
    total.push_back(ran.stage_ms("total_ms") - ran.stage_ms("build_ms"));
    overhead.push_back(total.back() - ran.stage_ms("code_ms") - ran.stage_ms("problem_code_ms"));
    for (const auto& [name, ms] : ran.verdict.stages.items()) {
      if (ms.is_number()) stages[name].push_back(ms);
    }
  }
  if (total.empty()) co_return bench.report.Note("no evaluation was ok: not measured");
  bench.report.Add({"at_rest_total_ms", judge::Median(total), "ms", total.size(), {}, {}, "without building"});
  bench.report.Add({"overhead_ms",
                    judge::Median(overhead),
                    "ms",
                    overhead.size(),
                    {},
                    kTargetOverheadMs,
                    "median, beyond the submission's and the problem's own code"});
  bench.report.Add({"overhead_p99_ms", Quantile(overhead, 0.99), "ms", overhead.size(), {}, kTargetOverheadP99Ms, ""});
  std::vector<std::string> words;
  for (auto& [name, values] : stages.items()) {
    values = judge::Median(values.get<std::vector<double>>());
    words.push_back(Concat(name, " ", values.get<double>()));
  }
  bench.report.Detail("stages_median", stages);
  bench.report.Note("stages (median): " + Join(words, ", "));
  ReportAsked(all, bench.report);
}

Awaitable<void> Repeatability(Bench& bench) {
  const std::size_t at_rest = bench.Count(20, 10), crowded = bench.Count(20, 10);
  bench.report.Part("repeatability", Concat("the same kernels ", at_rest, " times at rest, ", crowded,
                                            " times with eleven other evaluations"));
  std::vector<Item> kernels;
  for (const KernelSize& size : KernelSizes()) kernels.push_back(KernelOf(size, bench.config));
  const std::vector<Item>& others = bench.triton.empty() ? kernels : bench.triton;
  co_await RunMany(bench.judge, 1, false, Rounds(kernels, 1));
  const std::vector<Ran> idle = co_await RunMany(bench.judge, 1, false, Rounds(kernels, at_rest));
  const std::vector<Ran> busy =
      co_await RunMany(bench.judge, static_cast<int>(kCrowd), false, InACrowd(kernels, others, crowded));
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const KernelSize& size = KernelSizes()[i];
    const Times rest = TimesOf(idle, kernels[i], bench.report), crowd = TimesOf(busy, kernels[i], bench.report);
    if (rest.speedup.empty() || crowd.speedup.empty()) {
      bench.report.Note(size.name + ": no times");
      continue;
    }
    ReportTimes(size, "rest", rest, bench.report);
    ReportTimes(size, "crowd", crowd, bench.report);
    const double shift = judge::Median(crowd.candidate_ms) / judge::Median(rest.candidate_ms) - 1;
    bench.report.Add({"repeat_" + size.name + "_shift",
                      100 * std::abs(shift),
                      "%",
                      crowd.speedup.size(),
                      {},
                      kTargetShift,
                      shift > 0 ? "slower in the crowd" : "faster in the crowd"});
    bench.report.Detail(size.name, {{"rest_ms", rest.candidate_ms},
                                    {"rest_speedup", rest.speedup},
                                    {"crowd_ms", crowd.candidate_ms},
                                    {"crowd_speedup", crowd.speedup}});
  }
}

Awaitable<void> Itself(Bench& bench) {
  const std::size_t runs = bench.Count(100, 40);
  bench.report.Part("itself", Concat("the reference against itself, ", runs, " times"));
  const std::vector<Item> one = {ReferenceAgain(KernelSizes()[kItselfSize], bench.config)};
  const std::vector<Ran> all = co_await RunMany(bench.judge, 1, false, Rounds(one, runs));
  const Times times = TimesOf(all, one[0], bench.report);
  if (times.speedup.empty()) co_return bench.report.Note("no speedup was measured");
  int inside = 0;
  for (const Ran& ran : all) {
    if (!ran.verdict.speedup_interval) continue;
    inside += ran.verdict.speedup_interval->low <= 1 && 1 <= ran.verdict.speedup_interval->high;
  }
  const std::size_t measured = times.speedup.size();
  bench.report.Add({"itself_inside_percent",
                    100.0 * inside / static_cast<double>(measured),
                    "%",
                    measured,
                    kTargetInside,
                    {},
                    "have 1.0 within their interval"});
  bench.report.Add({"itself_median", judge::Median(times.speedup), "x", measured, {}, {}, "should be 1"});
  bench.report.Add({"itself_cv", 100 * judge::CoefficientOfVariation(times.speedup), "%", measured});
}

}  // namespace kgym::bench
