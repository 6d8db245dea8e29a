// kgym replay BUNDLE: the same evaluation again, here and now.
#include <unistd.h>

#include "apps/kgym/commands.h"
#include "apps/kgym/console.h"
#include "apps/kgym/evaluate.h"
#include "apps/kgym/json_path.h"
#include "apps/kgym/progress.h"
#include "apps/kgym/run.h"
#include "apps/kgym/table.h"
#include "apps/kgym/verdict_text.h"
#include "base/text.h"
#include "judge/bundle.h"

namespace kgym::app {
namespace {

std::string TextAt(const Json& json, std::string_view path) {
  const Json& value = Lookup(json, path);
  if (value.is_number()) return Digits(value.get<double>());
  return value.is_string() ? value.get<std::string>() : "";
}

std::string Compared(const Json& then, const Json& now, bool colour) {
  Table table({{""}, {"then"}, {"now"}});
  const auto outcome = [](const Json& verdict) {
    return Cell{TextAt(verdict, "outcome"), ColourOf(TextAt(verdict, "outcome"))};
  };
  table.Add({{"outcome"}, outcome(then), outcome(now)});
  table.Add({{"speedup"}, {SpeedupWithInterval(then)}, {SpeedupWithInterval(now)}});
  for (const char* path :
       {"reference_ms", "candidate_ms", "provenance.cpu", "provenance.versions.torch", "provenance.at"}) {
    table.Add({{path}, {TextAt(then, path)}, {TextAt(now, path)}});
  }
  return table.Text(colour);
}

/// The bundle's configuration, but for what belongs to a machine; --config and --set come last.
Result<judge::JudgeConfig> ConfigOf(const judge::Bundle& bundle, const ReplayOptions& options) {
  KGYM_TRY(const judge::JudgeConfig here, LoadConfig(options.config));
  KGYM_TRY(judge::JudgeConfig config, WithChanges({}, bundle.config, options.bundle + ": field 'config'"));
  ConfigFields fields(config);
  if (!options.config.file.empty()) KGYM_TRY_VOID(fields.LoadYaml(options.config.file));
  for (const std::string& assignment : options.config.set) KGYM_TRY_VOID(fields.Override(assignment));
  config.python = here.python;
  config.cache = here.cache;
  config.extensions = here.extensions;
  config.cpus = here.cpus;
  return config;
}

int Show(const ReplayOptions& options, const judge::Bundle& bundle, const Evaluated& evaluated) {
  if (evaluated.verdict.is_null()) return Complain(evaluated.error, options.json), evaluated.code;
  const bool same = TextAt(bundle.verdict, "outcome") == TextAt(evaluated.verdict, "outcome");
  if (options.json) {
    PrintJson({{"same", same}, {"then", bundle.verdict}, {"now", evaluated.verdict}});
  } else {
    Print(VerdictText(evaluated.verdict, ColourWanted(STDOUT_FILENO)) + "\n" +
          Compared(bundle.verdict, evaluated.verdict, ColourWanted(STDOUT_FILENO)));
    Print(same ? "\nthe same outcome\n" : "\nanother outcome\n");
  }
  return same ? kFine : kOtherVerdict;
}

}  // namespace

int Run(const ReplayOptions& options) {
  const Result<judge::Bundle> bundle = judge::ReadBundle(options.bundle);
  if (!bundle.ok()) return Complain(bundle.error().message, options.json), kBadInput;
  const Result<judge::JudgeConfig> config = ConfigOf(*bundle, options);
  if (!config.ok()) return Complain(config.error().message, options.json), kBadInput;
  const Task task{bundle->problem, bundle->submission};
  Progress progress(0);
  progress.Stage("judging again ...");
  return WithJudge(*config, options.json, [&](judge::Judge& judge) -> Awaitable<int> {
    const Evaluated evaluated = co_await Evaluate(judge, *config, task, "");
    progress.Clear();
    co_return Show(options, *bundle, evaluated);
  });
}

}  // namespace kgym::app
