// How far verdicts can be trusted: every case again and again, and what share of them ended as it must.
//
// Cheats must be caught, honest submissions accepted, faults named. With --mutants the cases are disguised cheats that
// scripts/mutate_cases.py wrote. Times are never asserted: the exit code is about verdicts (1: a cheat or a fault was
// ok, or an honest submission was not), the judge (3: it did not start, or gave no verdict) and the command line (2).
//
// Without arguments it looks at every case once and stops after five minutes, as one bench among many. docs/trust.md
// says how to read what it prints.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "apps/kgym/console.h"
#include "apps/kgym/progress.h"
#include "apps/kgym/run.h"
#include "base/config.h"
#include "base/files.h"
#include "base/text.h"
#include "gpu_load.h"
#include "trust_report.h"

namespace kgym::bench {
namespace {

/// What a mutant with two faces prints when it first shows the bad one (scripts/mutations/two_faced.py).
constexpr std::string_view kMark = "kgym-mutant: cheating";
constexpr int kRepeats = 20;

struct TrustOptions {
  std::string cases = "cases";
  std::string mutants, problems, device = "cpu", filter, only, json, commit;
  std::vector<std::string> set;
  int repeats = 0;  // 0: kRepeats for cases, one for mutants.
  int jobs = 0;     // 0: 4 on a CPU, 16 on a GPU.
  int minutes = 0;  // 0: until all is done.
};

/// A case, and where it is counted.
struct Subject {
  Item item;
  Claim claim = Claim::kEither;
  std::string group;
  bool two_faced = false;
};

int Complain(const std::string& message, int code) {
  std::fprintf(stderr, "trust_bench: %s\n", message.c_str());
  return code;
}

Subject SubjectOf(Item item, bool mutants) {
  Subject subject{std::move(item), Claim::kMutant, {}, false};
  const Item& in = subject.item;
  if (!mutants) subject.claim = ClaimOf(in.expect);
  subject.group = mutants ? in.name.substr(0, in.name.find('/')) : in.expect.front();
  subject.two_faced = mutants && in.submission.source.find(kMark) != std::string::npos;
  return subject;
}

Result<std::vector<Subject>> ReadSubjects(const TrustOptions& options, const judge::JudgeConfig& config) {
  const std::string& folder = options.mutants.empty() ? options.cases : options.mutants;
  KGYM_TRY(std::vector<Item> items, ReadItems(folder, options.problems, config));
  std::vector<Subject> subjects;
  for (Item& item : items) {
    Subject subject = SubjectOf(std::move(item), !options.mutants.empty());
    const bool named = subject.item.name.find(options.filter) != std::string::npos;
    const bool meant = options.only.empty() || options.only == ToString(subject.claim) || options.only == subject.group;
    if (named && meant) subjects.push_back(std::move(subject));
  }
  if (subjects.empty()) return Error{folder + ": no case in it that is asked for and runs on this device"};
  // A reference host serves longest in this order.
  std::ranges::stable_sort(subjects, {}, [](const Subject& one) { return one.item.problem.name; });
  return subjects;
}

Awaitable<Sample> Look(judge::Judge& judge, const Subject& subject) {
  const Item& item = subject.item;
  judge::Judged judged = co_await judge.Evaluate(item.problem, item.submission, item.config);
  Sample sample{.name = item.name, .outcome = "problem", .reason = {}, .ms = 0, .end = End::kNoVerdict};
  if (const auto* fault = std::get_if<judge::ProblemFault>(&judged)) {
    sample.reason = fault->message;
    co_return sample;
  }
  const auto& verdict = std::get<judge::Verdict>(judged);
  sample.outcome = judge::ToString(verdict.outcome);
  sample.reason = verdict.reason;
  sample.ms = verdict.stages.value("total_ms", 0.0) - verdict.stages.value("wait_ms", 0.0);
  sample.end = EndOf(subject.claim, item.expect, sample.outcome);
  const bool awake = !subject.two_faced || verdict.log.find(kMark) != std::string::npos;
  if (!awake && sample.end != End::kNoVerdict) sample.end = End::kDormant;
  co_return sample;
}

/// The first line that `command` prints; null where it fails.
Json FirstLine(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return nullptr;
  char line[128] = {};
  const bool read = std::fgets(line, sizeof line, pipe) != nullptr;
  return ::pclose(pipe) == 0 && read ? Json(Trim(line)) : Json(nullptr);
}

/// Of the last minute: on a machine that is busy with something else, times are longer and some cheats harder to see.
Json LoadAverage() {
  double load = 0;
  return ::getloadavg(&load, 1) == 1 ? Json(load) : Json(nullptr);
}

/// What the figures belong to.
Json Circumstances(const TrustOptions& options, const judge::Judge& judge, int repeats) {
  const Json commit = options.commit.empty() ? FirstLine("git describe --always --dirty --abbrev=12 2>/dev/null")
                                             : Json(options.commit);
  return {{"schema", "kgym.trust/1"},
          {"mode", options.mutants.empty() ? "cases" : "mutants"},
          {"began_at", WallTime()},
          {"commit", commit},
          {"threads", std::thread::hardware_concurrency()},
          {"load_average", {{"at_start", LoadAverage()}}},
          {"repeats", repeats},
          {"provenance", judge.provenance()}};
}

/// All runs of all subjects. Outlives the judge, so that an interruption leaves what was found until then.
class Campaign {
 public:
  Campaign(const TrustOptions& options, const std::vector<Subject>& subjects)
      : options_(options),
        subjects_(subjects),
        repeats_(options.repeats > 0       ? options.repeats
                 : options.mutants.empty() ? kRepeats
                                           : 1),
        runs_(subjects.size() * static_cast<std::size_t>(repeats_)),
        report_(!options.mutants.empty()),
        progress_(static_cast<int>(runs_)) {}

  Awaitable<int> Run(judge::Judge& judge) {
    record_ = Circumstances(options_, judge, repeats_);
    end_ = std::chrono::steady_clock::now() + std::chrono::minutes(options_.minutes);
    const int jobs = options_.jobs > 0 ? options_.jobs : judge.config().on_gpu() ? 16 : 4;
    Awaitable<void> all = app::ForEach(runs_, jobs, [this, &judge](std::size_t i) { return One(judge, i); });
    co_await std::move(all);
    if (report_.wrong() > 0) co_return app::kOtherVerdict;
    co_return report_.without_verdict() > 0 ? app::kOurFault : app::kFine;
  }

  /// Says what was found; `code` is how running ended, and the program's exit code where nothing goes wrong here.
  int Finish(int code) {
    progress_.Clear();
    if (ended_ == 0) return code;
    app::Print(report_.Text(app::ColourWanted(STDOUT_FILENO)));
    if (ended_ < runs_) app::Print(Concat("\n", runs_ - ended_, " of ", runs_, " runs were not made\n"));
    if (Status written = Write(); !written.ok()) return Complain(written.error().message, app::kBadInput);
    return code;
  }

 private:
  Awaitable<void> One(judge::Judge& judge, std::size_t i) {
    if (options_.minutes > 0 && std::chrono::steady_clock::now() > end_) co_return;
    const Subject& subject = subjects_[i % subjects_.size()];
    const Sample sample = co_await Look(judge, subject);
    report_.Add(subject.group, subject.claim, sample);
    const bool loud = sample.end == End::kWrong || sample.end == End::kNoVerdict;
    progress_.Step(Concat(sample.name, "  ", sample.outcome, loud ? "  NOT AS EXPECTED" : ""));
    // After each round, so that a crash leaves something too.
    if (++ended_ % subjects_.size() != 0 || ended_ == runs_) co_return;
    if (Status written = Write(); !written.ok()) progress_.Say(written.error().message);
  }

  Status Write() {
    if (options_.json.empty()) return Ok();
    Json record = record_;
    record["written_at"] = WallTime();
    record["load_average"]["at_end"] = LoadAverage();
    record["runs"] = {{"ended", ended_}, {"planned", runs_}};
    record.update(report_.ToJson());
    return WriteFileAtomic(options_.json, DumpJson(record, 1) + "\n");
  }

  const TrustOptions& options_;
  const std::vector<Subject>& subjects_;
  int repeats_;
  std::size_t runs_, ended_ = 0;
  Instant end_{};  // No run is begun after it.
  Json record_ = Json::object();
  TrustReport report_;
  app::Progress progress_;
};

int Run(const TrustOptions& options) {
  judge::JudgeConfig config;
  config.device = options.device;
  ConfigFields fields(config);
  for (const std::string& assignment : options.set) {
    if (Status set = fields.Override(assignment); !set.ok()) return Complain(set.error().message, app::kBadInput);
  }
  const Result<std::vector<Subject>> subjects = ReadSubjects(options, config);
  if (!subjects.ok()) return Complain(subjects.error().message, app::kBadInput);
  Campaign campaign(options, *subjects);
  return campaign.Finish(app::WithJudge(config, false, [&](judge::Judge& judge) { return campaign.Run(judge); }));
}

}  // namespace
}  // namespace kgym::bench

int main(int argc, char** argv) {
  kgym::bench::TrustOptions options;
  CLI::App app{"How far verdicts can be trusted, measured.", "trust_bench"};
  app.footer(
      "Examples:\n  trust_bench --repeats 20 --json trust.json\n  trust_bench --only cheat --filter replay\n"
      "  scripts/mutate_cases.py --out /tmp/mutants && trust_bench --mutants /tmp/mutants");
  app.add_option("--cases", options.cases, "folder of cases (default: cases)");
  app.add_option("--mutants", options.mutants, "folder that mutate_cases.py wrote, in place of cases");
  app.add_option("--problems", options.problems, "folder of the built-in suite (default: problems/, found)");
  app.add_option("--device", options.device, "cpu, or cuda; cases that do not run on it are left out (default: cpu)");
  app.add_option("--repeats", options.repeats, "evaluations of each case (default: 20, of mutants 1)")
      ->check(CLI::Range(1, 10000));
  app.add_option("--filter", options.filter, "only cases whose path contains this");
  app.add_option("--only", options.only, "only one class: honest, cheat, fault, an outcome, or a kind of mutation");
  app.add_option("--jobs", options.jobs, "evaluations at once (default: 4, on a GPU 16)")->check(CLI::Range(1, 256));
  app.add_option("--minutes", options.minutes, "begin no evaluation after this time")->check(CLI::Range(1, 10000));
  app.add_option("--commit", options.commit, "for the record, where git cannot tell");
  app.add_option("--json", options.json, "file for what was found, rewritten after each round");
  app.add_option("--set", options.set, "one key of the judge's configuration")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (argc == 1) options.repeats = 1, options.minutes = 5;
  return kgym::bench::Run(options);
}
