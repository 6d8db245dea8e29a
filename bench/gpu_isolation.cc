// Whether faults of some submissions reach others, and what hosts cost in memory.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "gpu_parts.h"

namespace kgym::bench {
namespace {

constexpr double kTargetCardMb = 700, kTargetPrivateMb = 250;
// A kernel that never ends is ended by the limit of a call; waiting long for it shows nothing more.
constexpr Duration kFaultCall = 2s;

std::vector<Item> Impatient(std::vector<Item> faults) {
  for (Item& item : faults) {
    if (item.Expects("fail:timeout")) item.config.limits.call = std::min(item.config.limits.call, kFaultCall);
  }
  return faults;
}

/// Every third one is a fault.
std::function<const Item*()> Mixed(const std::vector<Item>& honest, const std::vector<Item>& faults, std::size_t end) {
  return [&, end, at = std::size_t{0}]() mutable -> const Item* {
    if (at == end) return nullptr;
    const std::size_t i = at++;
    return i % 3 == 2 ? &faults[i / 3 % faults.size()] : &honest[(i - i / 3) % honest.size()];
  };
}

/// Honest verdicts that are not what they are alone; faults that are not ruled as their cases say.
struct Disturbed {
  std::size_t honest = 0, honest_runs = 0;
  std::size_t faults = 0, fault_runs = 0;
};

Disturbed Compare(const std::vector<Ran>& mixed, const std::map<const Item*, std::string>& alone, Report& report) {
  Disturbed disturbed;
  for (const Ran& ran : mixed) {
    const auto known = alone.find(ran.item);
    if (known == alone.end()) {
      ++disturbed.fault_runs;
      if (ran.item->Expects(ran.outcome)) continue;
      ++disturbed.faults;
      report.Unexpected(Concat("fault ", ran.item->name, ": ", ran.outcome, ": ", ran.reason));
      continue;
    }
    ++disturbed.honest_runs;
    if (ran.outcome == known->second) continue;
    ++disturbed.honest;
    report.Unexpected(
        Concat(ran.item->name, ": alone ", known->second, ", among faults ", ran.outcome, ": ", ran.reason));
  }
  return disturbed;
}

}  // namespace

void ReportGrowth(const std::string& name, const Taken& before, const Taken& after, std::size_t runs, Report& report) {
  report.Detail("before", before.ToJson());
  report.Detail("after", after.ToJson());
  const std::string hosts = Concat("hosts ", before.hosts, " before, ", after.hosts, " after");
  const auto add = [&](const char* what, double value, const char* unit, const std::string& beside) {
    report.Add({name + "_grown_" + what, value, unit, runs, {}, {}, beside});
  };
  if (before.card_mb && after.card_mb) add("card_mb", *after.card_mb - *before.card_mb, "MB", hosts);
  if (before.host_private_mb && after.host_private_mb)
    add("host_private_mb", *after.host_private_mb - *before.host_private_mb, "MB", "median of the hosts");
  add("judge_mb", after.judge_mb - before.judge_mb, "MB", "resident memory of the judge");
  add("descriptors", after.descriptors - before.descriptors, "", "of the judge");
}

Awaitable<void> Memory(Bench& bench) {
  bench.report.Part("memory", "what a host costs");
  const Taken taken = co_await LookWhenSettled(bench.card);
  bench.report.Detail("taken", taken.ToJson());
  if (taken.hosts == 0) co_return bench.report.Note("no host is to be seen below /proc: not measured");
  if (taken.card_mb && bench.card_mb_before) {
    bench.report.Add({"host_card_mb",
                      (*taken.card_mb - *bench.card_mb_before) / static_cast<double>(taken.hosts),
                      "MB",
                      taken.hosts,
                      {},
                      kTargetCardMb,
                      "of the card, by NVML before and after"});
  }
  if (taken.host_private_mb) {
    bench.report.Add({"host_private_mb",
                      *taken.host_private_mb,
                      "MB",
                      taken.hosts,
                      {},
                      kTargetPrivateMb,
                      taken.private_by == "status" ? "anonymous memory, what is shared with the zygote counted too"
                                                   : "median; pages that no other process maps"});
  }
}

Awaitable<void> Isolation(Bench& bench) {
  const std::size_t runs = bench.Count(500, 90);
  const std::vector<Item> faults = Impatient(bench.faults);
  std::vector<Item> honest = bench.triton;
  if (!bench.options.full) honest.resize(std::min<std::size_t>(honest.size(), 20));
  bench.report.Part("isolation", Concat(runs, " evaluations, every third one of ", faults.size(),
                                        " faults, the others of ", honest.size(), " honest kernels"));
  if (honest.empty() || faults.empty())
    co_return bench.report.Note("honest and faulty cases are needed for this device: not measured");
  std::map<const Item*, std::string> alone;
  for (const Ran& ran : co_await RunMany(bench.judge, 1, false, Rounds(honest, 1))) {
    alone[ran.item] = ran.outcome;
    if (!ran.item->Expects(ran.outcome))
      bench.report.Unexpected(Concat("alone ", ran.item->name, ": ", ran.outcome, ": ", ran.reason));
  }
  const Taken before = co_await LookWhenSettled(bench.card);
  const std::vector<Ran> mixed =
      co_await RunMany(bench.judge, bench.options.in_flight, false, Mixed(honest, faults, runs));
  const Taken after = co_await LookWhenSettled(bench.card);
  const Disturbed disturbed = Compare(mixed, alone, bench.report);
  bench.report.Add({"isolation_disturbed",
                    static_cast<double>(disturbed.honest),
                    "",
                    disturbed.honest_runs,
                    {},
                    0,
                    "honest verdicts that are not what they are alone"});
  bench.report.Add({"isolation_faults_misjudged",
                    static_cast<double>(disturbed.faults),
                    "",
                    disturbed.fault_runs,
                    {},
                    0,
                    "faults whose verdict is not what their case says"});
  ReportGrowth("isolation", before, after, mixed.size(), bench.report);
}

}  // namespace kgym::bench
