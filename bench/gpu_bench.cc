// The judge of a GPU lane, measured: first verdict, evaluations an hour, overhead, repeatability, isolation, memory.
// Each figure stands beside its target, or what it is compared with. Times are never asserted: the exit code is about
// verdicts (1: one was not as it had to be), the judge (3: it did not start) and the command line (2).
//
// Without arguments it measures what is in cases/gpu on the first card; where there is none, it says so and is done.
//
// With `--set judge.device=cpu` the same runs on a CPU lane, to try the bench itself.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "apps/kgym/run.h"
#include "base/config.h"
#include "base/log.h"
#include "base/text.h"
#include "gpu_parts.h"

namespace kgym::bench {
namespace {

struct PartEntry {
  const char* name;
  Awaitable<void> (*run)(Bench&);
};

// In this order: the first needs a process that has judged nothing yet, the second one with little in its lane.
constexpr PartEntry kParts[] = {
    {"cold", Cold},     {"memory", Memory},         {"overhead", Overhead},   {"itself", Itself},
    {"cached", Cached}, {"throughput", Throughput}, {"isolation", Isolation}, {"repeatability", Repeatability}};

int Complain(const std::string& message, int code) {
  std::fprintf(stderr, "gpu_bench: %s\n", message.c_str());
  return code;
}

std::vector<std::string> PartNames() {
  std::vector<std::string> names;
  for (const PartEntry& part : kParts) names.emplace_back(part.name);
  return names;
}

Json StateJson(const std::optional<judge::Card>& card) {
  if (!card) return nullptr;
  const Result<judge::CardState> state = judge::StateOf(*card);
  return state.ok() ? state->ToJson() : Json(state.error().message);
}

Status ReadAll(const Options& options, Bench& bench) {
  for (auto [folder, items] : {std::pair{"triton", &bench.triton}, {"cuda", &bench.cuda}, {"faults", &bench.faults}}) {
    KGYM_TRY(*items, ReadItems(std::filesystem::path(options.cases) / folder, options.problems, bench.config));
  }
  std::erase_if(bench.triton, [](const Item& item) { return !item.Expects("ok"); });
  // Libraries with a C entry point: building them is quick, so that the first round does not take the whole time.
  std::erase_if(bench.cuda, [](const Item& item) {
    return !item.Expects("ok") || item.submission.source.find("is_python_module=False") == std::string::npos;
  });
  return Ok();
}

Awaitable<int> RunParts(Bench& bench) {
  Report& report = bench.report;
  report.Set("provenance", bench.judge.provenance());
  for (const auto& [name, run] : kParts) {
    const std::vector<std::string>& only = bench.options.only;
    if (!only.empty() && std::ranges::find(only, name) == only.end()) continue;
    const Json before = StateJson(bench.card);
    co_await run(bench);
    report.Detail("card_before", before);
    report.Detail("card_after", StateJson(bench.card));
    if (Status written = report.Write(); !written.ok()) co_return Complain(written.error().message, 2);
  }
  if (report.unexpected() > 0) co_return Complain(Concat(report.unexpected(), " verdicts were not as expected"), 1);
  co_return 0;
}

int Run(const Options& options, bool by_itself, Instant process_start) {
  judge::JudgeConfig config;
  config.device = "cuda";
  ConfigFields fields(config);
  for (const std::string& assignment : options.set) {
    if (Status set = fields.Override(assignment); !set.ok()) return Complain(set.error().message, 2);
  }
  std::optional<judge::Card> card;
  if (config.on_gpu()) {
    Result<judge::Card> found = judge::FindCard(config.device);
    if (!found.ok()) return Complain(found.error().message + "; nothing was measured", by_itself ? 0 : 3);
    card = std::move(*found);
  }
  Report report(options.json);
  report.Set("config", fields.ToJson());
  report.Set("full", options.full);
  report.Set("card", StateJson(card));
  const std::optional<double> card_mb = Look(card).card_mb;
  const auto use = [&](judge::Judge& judge) -> Awaitable<int> {
    Bench bench{.judge = judge,
                .config = config,
                .options = options,
                .report = report,
                .triton = {},
                .cuda = {},
                .faults = {},
                .card = card,
                .process_start = process_start,
                .card_mb_before = card_mb};
    if (Status read = ReadAll(options, bench); !read.ok()) co_return Complain(read.error().message, 2);
    co_return co_await RunParts(bench);
  };
  return app::WithJudge(config, false, use);
}

}  // namespace
}  // namespace kgym::bench

int main(int argc, char** argv) {
  using namespace kgym::bench;
  const kgym::Instant process_start = std::chrono::steady_clock::now();
  Options options;
  CLI::App app{"The judge of a GPU lane, measured.", "gpu_bench"};
  app.footer("Parts: " + CLI::detail::join(PartNames(), ", ") +
             "\n\nExamples:\n  gpu_bench --cases cases/gpu --json bench.json\n"
             "  gpu_bench --only throughput --seconds 120 --set judge.at_once=16 --in-flight 24\n"
             "  gpu_bench --full --json full.json");
  app.add_option("--cases", options.cases, "folder with triton/, cuda/ and faults/ (default: cases/gpu)");
  app.add_option("--problems", options.problems, "folder of the built-in suite (default: problems/, found)");
  app.add_option("--json", options.json, "file for the figures, rewritten after each part");
  app.add_option("--set", options.set, "one key of the judge's configuration")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--only", options.only, "parts to measure, with commas between; all if left out")
      ->delimiter(',')
      ->check(CLI::IsMember(PartNames()));
  app.add_option("--seconds", options.seconds, "length of the throughput part (default: 60)")
      ->check(CLI::Range(1, 3600));
  app.add_option("--in-flight", options.in_flight, "evaluations asked for at once (default: 20)")
      ->check(CLI::Range(1, 256));
  app.add_option("--group", options.group, "submissions of one problem in a row, in the throughput part (default: 1)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--mix", options.mix, "problems of the throughput part; 0: every kernel there is (default: 24)")
      ->check(CLI::Range(0, 1000));
  app.add_flag("--full", options.full, "the counts that results are published with");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return Run(options, argc == 1, process_start);
}
