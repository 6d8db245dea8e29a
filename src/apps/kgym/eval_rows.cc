// kgym eval FOLDER_OR_JSONL: many verdicts, in the order of the input.
#include <unistd.h>

#include <fstream>
#include <map>
#include <optional>

#include "apps/kgym/commands.h"
#include "apps/kgym/console.h"
#include "apps/kgym/evaluate.h"
#include "apps/kgym/json_path.h"
#include "apps/kgym/ordered_lines.h"
#include "apps/kgym/progress.h"
#include "apps/kgym/rows.h"
#include "apps/kgym/run.h"
#include "apps/kgym/table.h"
#include "apps/kgym/verdict_text.h"
#include "base/text.h"

namespace kgym::app {
namespace {

/// What came of a row; `verdict` is an error row where there is none.
struct Done {
  Json line;
  ExitCode code = kFine;
};

Cell MsCell(const Json& value) { return {value.is_number() ? Digits(value.get<double>()) : ""}; }

std::string TextAt(const Json& json, std::string_view path) {
  const Json& value = Lookup(json, path);
  return value.is_string() ? value.get<std::string>() : "";
}

std::string SummaryTable(const std::vector<Row>& rows, const std::vector<Done>& done, bool colour) {
  using enum Table::Align;
  Table table({{"problem"},
               {"submission", kLeft, 56},
               {"outcome", kLeft, 32},
               {"speedup", kRight},
               {"reference ms", kRight},
               {"candidate ms", kRight}});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Json& line = done[i].line;
    if (line.contains("error")) {
      table.Add({{""}, {rows[i].id}, {"bad input", Colour::kYellow}});
      continue;
    }
    const std::string outcome = TextAt(line, "outcome");
    table.Add({{TextAt(line, "problem.name")},
               {rows[i].id},
               {outcome, ColourOf(outcome)},
               {SpeedupPlusMinus(line)},
               MsCell(Lookup(line, "reference_ms")),
               MsCell(Lookup(line, "candidate_ms"))});
  }
  return table.Text(colour);
}

/// "8 submissions: 5 ok, 1 fail:numerical, 2 bad input".
std::string Counts(const std::vector<Done>& done) {
  std::map<std::string, int> counts;
  for (const Done& one : done) ++counts[one.line.contains("error") ? "bad input" : TextAt(one.line, "outcome")];
  std::string text = Concat(done.size(), done.size() == 1 ? " submission: " : " submissions: ", counts["ok"], " ok");
  for (const auto& [outcome, count] : counts) {
    if (outcome != "ok") text += Concat(", ", count, " ", outcome);
  }
  return text;
}

Awaitable<Done> JudgeRow(judge::Judge& judge, const judge::JudgeConfig& config, const EvalOptions& options,
                         const Row& row) {
  if (const auto* error = std::get_if<Error>(&row.content))
    co_return Done{ErrorRow(row.id, row.number, error->message), kBadInput};
  const Evaluated evaluated = co_await Evaluate(judge, config, std::get<Task>(row.content), options.keep);
  if (evaluated.verdict.is_null()) co_return Done{ErrorRow(row.id, row.number, evaluated.error), evaluated.code};
  co_return Done{evaluated.verdict, evaluated.code};
}

Awaitable<int> JudgeRows(judge::Judge& judge, const judge::JudgeConfig& config, const EvalOptions& options,
                         const std::vector<Row>& rows, OrderedLines& lines, Progress& progress) {
  std::vector<Done> done(rows.size());
  const auto body = [&](std::size_t i) -> Awaitable<void> {
    done[i] = co_await JudgeRow(judge, config, options, rows[i]);
    const Json& line = done[i].line;
    lines.Put(i, DumpJson(line));
    if (!line.contains("error")) co_return progress.Step(Concat(rows[i].id, "  ", VerdictLine(line)));
    progress.Step(Concat(rows[i].id, "  bad input"));
    progress.Clear();
    Complain(TextAt(line, "error"), false);
  };
  progress.Stage("judging ...");
  Awaitable<void> all = ForEach(rows.size(), options.jobs, body);
  co_await std::move(all);
  progress.Clear();
  if (!options.json) Print(SummaryTable(rows, done, ColourWanted(STDOUT_FILENO)) + "\n" + Counts(done) + "\n");
  if (options.json) progress.Say(Counts(done));
  ExitCode code = kFine;
  for (const Done& one : done) code = Worse(code, one.code);
  co_return code;
}

}  // namespace

int RunRows(const EvalOptions& options) {
  if (!IsRows(options.problem)) {
    Complain(Concat("eval '", options.problem,
                    "': two arguments are expected, PROBLEM SUBMISSION; or one that is a folder or a .jsonl file"),
             options.json);
    return kBadInput;
  }
  const Result<judge::JudgeConfig> config = LoadConfig(options.config);
  if (!config.ok()) return Complain(config.error().message, options.json), kBadInput;
  const Result<std::vector<Row>> rows = ReadRows(options.problem, options);
  if (!rows.ok()) return Complain(rows.error().message, options.json), kBadInput;
  Result<OrderedLines> lines = OrderedLines::Open(options.out, options.json);
  if (!lines.ok()) return Complain(lines.error().message, options.json), kBadInput;

  Progress progress(static_cast<int>(rows->size()));
  progress.Stage("starting the judge ...");
  return WithJudge(*config, options.json, [&](judge::Judge& judge) -> Awaitable<int> {
    co_return co_await JudgeRows(judge, *config, options, *rows, *lines, progress);
  });
}

}  // namespace kgym::app
