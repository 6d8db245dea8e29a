#include "gpu_load.h"

#include <algorithm>

#include "apps/kgym/input.h"
#include "apps/kgym/run.h"
#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "judge/outcome.h"

namespace kgym::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShownEvidence = 1200;

Result<Item> ItemOf(app::Case read, const judge::JudgeConfig& config) {
  Item item{read.name, std::move(read.task.problem), std::move(read.task.submission), config, read.expect};
  KGYM_TRY(item.config, app::WithChanges(config, read.config, read.name + "/case.yaml: field 'config'"));
  return item;
}

}  // namespace

bool Item::Expects(std::string_view outcome) const { return std::ranges::find(expect, outcome) != expect.end(); }

Result<std::vector<Item>> ReadItems(const fs::path& folder, const std::string& problems,
                                    const judge::JudgeConfig& config) {
  std::vector<Item> items;
  std::error_code error;
  if (!fs::is_directory(folder, error)) return items;
  const char* device = config.on_gpu() ? "gpu" : "cpu";
  app::ProblemFinder finder({.root = problems, .workload = device, .sizes = {}});
  KGYM_TRY(const std::vector<fs::path> files, ListFiles(folder, "case.yaml"));
  for (const fs::path& file : files) {
    KGYM_TRY(app::Case read, app::ReadCase(file, folder, finder));
    if (!read.RunsOn(device)) continue;
    KGYM_TRY(Item item, ItemOf(std::move(read), config));
    items.push_back(std::move(item));
  }
  return items;
}

double Ran::stage_ms(std::string_view name) const { return verdict.stages.value(std::string(name), 0.0); }

Awaitable<Ran> RunOne(judge::Judge& judge, const Item& item, bool distinct) {
  judge::Submission submission = item.submission;
  if (distinct) submission.source += Concat("\n# evaluation ", NewEvaluationId(), "\n");
  judge::Judged judged = co_await judge.Evaluate(item.problem, std::move(submission), item.config);
  Ran ran{.item = &item, .outcome = {}, .reason = {}, .ended = std::chrono::steady_clock::now(), .verdict = {}};
  if (auto* fault = std::get_if<judge::ProblemFault>(&judged)) {
    ran.outcome = "problem";
    ran.reason = std::move(fault->message);
    co_return ran;
  }
  ran.verdict = std::move(std::get<judge::Verdict>(judged));
  ran.verdict.provenance = nullptr;
  ran.verdict.log.clear();
  ran.outcome = judge::ToString(ran.verdict.outcome);
  ran.reason = ran.verdict.reason;
  // Shown where it was not expected: what it rests on tells whether the judge or the submission is at fault.
  if (!ran.verdict.evidence.empty()) ran.reason += " " + DumpJson(ran.verdict.evidence).substr(0, kShownEvidence);
  co_return ran;
}

Awaitable<std::vector<Ran>> RunMany(judge::Judge& judge, int in_flight, bool distinct,
                                    std::function<const Item*()> next) {
  std::vector<Ran> all;
  const auto keep_going = [&](std::size_t) -> Awaitable<void> {
    while (const Item* item = next()) {
      Ran ran = co_await RunOne(judge, *item, distinct);
      all.push_back(std::move(ran));
    }
  };
  Awaitable<void> ended = app::ForEach(static_cast<std::size_t>(in_flight), in_flight, keep_going);
  co_await std::move(ended);
  co_return all;
}

std::function<const Item*()> Rounds(const std::vector<Item>& items, std::size_t rounds) {
  return [&items, at = std::size_t{0}, end = items.size() * rounds]() mutable -> const Item* {
    return at < end ? &items[at++ % items.size()] : nullptr;
  };
}

}  // namespace kgym::bench
