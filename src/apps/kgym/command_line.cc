#include "apps/kgym/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>

#include "apps/kgym/client_command_line.h"
#include "apps/kgym/console.h"
#include "apps/kgym/exit_code.h"
#include "apps/kgym/run.h"
#include "base/text.h"

namespace kgym::app {
namespace {

/// Puts the number of a suite, which CLI11 reads, in place of its name; the answer is what is wrong.
std::string SuiteNumber(std::string& text) {
  if (text != "builtin" && text != "kernelbench")
    return Concat("'", text, "' found; builtin or kernelbench is expected");
  text =
      std::to_string(static_cast<int>(text == "builtin" ? judge::SuiteKind::kBuiltIn : judge::SuiteKind::kKernelBench));
  return "";
}

/// What all subcommands share: a sentence, and examples below the options.
CLI::App* Subcommand(CLI::App& app, const std::string& name, const std::string& meaning, const std::string& examples) {
  CLI::App* sub = app.add_subcommand(name, meaning);
  sub->footer("Examples:\n" + examples);
  return sub;
}

void AddConfig(CLI::App* sub, ConfigSource& config) {
  sub->add_option("--config", config.file, "YAML file with configuration of the judge")->type_name("FILE");
  sub->add_option("--set", config.set, "one key of the configuration, after the file; `kgym config` lists all")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  auto set_device = [&config](const std::string& device) { config.set.push_back("judge.device=" + device); };
  sub->add_option_function<std::string>("--device", set_device, "what to judge on: cpu (the default), cuda or cuda:N")
      ->type_name("DEVICE");
  auto set_sandbox = [&config](const std::string& level) { config.set.push_back("judge.sandbox=" + level); };
  sub->add_option_function<std::string>(
         "--sandbox", set_sandbox, "best: as far as this machine lets us; strict: refuse to run with less than all")
      ->type_name("LEVEL");
}

void AddJson(CLI::App* sub, bool& json) { sub->add_flag("--json", json, "for a program: JSON on standard output"); }

void AddProblemSource(CLI::App* sub, ProblemSource& source, bool sizes) {
  sub->add_option("--suite", source.suite, "where problems are looked up by name: builtin or kernelbench")
      ->type_name("SUITE")
      ->transform(CLI::Validator(SuiteNumber, ""));
  sub->add_option("--root", source.root, "the suite's folder: problems/, or a KernelBench checkout")->type_name("DIR");
  if (!sizes) return;
  sub->add_option(
         "--workload", source.workload,
         "scale of the problem: a key of its WORKLOADS, or `default` (default: the device's own scale, cpu or gpu)")
      ->type_name("NAME");
  sub->add_option("--size", source.sizes,
                  "one size of the problem, in place of the workload's; may be given again for others")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

void AddEval(CLI::App& app, EvalOptions& options) {
  CLI::App* sub = Subcommand(app, "eval", "Judge a submission, or many of them",
                             "  kgym eval level1/rmsnorm examples/demo/level1__rmsnorm__fused.py\n"
                             "  kgym eval my_problem.py my_kernel.py --backend triton --json\n"
                             "  kgym eval 1/19 relu.py --suite kernelbench --root ../KernelBench\n"
                             "  kgym eval examples/demo                  a folder of <level>__<problem>__<what>.py\n"
                             "  kgym eval rows.jsonl --out verdicts.jsonl\n\n"
                             "Exit: 0 ok, 1 any other verdict, 2 bad input, 3 the judge's own fault.");
  sub->add_option("PROBLEM", options.problem,
                  "a problem's name or file; alone: a folder of submissions or a JSONL file")
      ->required();
  sub->add_option("SUBMISSION", options.submission, "a Python file that defines ModelNew");
  sub->add_option("--backend", options.backend,
                  "what the submission is written in: cpp (the default), triton, cuda, ...")
      ->type_name("NAME");
  sub->add_option("--entry", options.entry, "the class to judge (default: ModelNew)")->type_name("NAME");
  AddProblemSource(sub, options.source, true);
  AddConfig(sub, options.config);
  sub->add_option("--keep", options.keep, "write a bundle of each evaluation, for `kgym replay`")->type_name("DIR");
  sub->add_option("--out", options.out, "write the verdicts of many rows, a line each")->type_name("FILE");
  sub->add_option("--jobs", options.jobs,
                  "evaluations at once; builds overlap, measuring never does (default: 4, on a GPU 16)")
      ->type_name("N")
      ->check(CLI::Range(1, 256).description(""));
  sub->add_option("--limit", options.limit, "judge the first N rows only")
      ->type_name("N")
      ->check(CLI::PositiveNumber.description(""));
  AddJson(sub, options.json);
}

void AddCases(CLI::App& app, CasesOptions& options) {
  CLI::App* sub =
      Subcommand(app, "cases", "Run verdict cases: submissions whose verdicts are known",
                 "  kgym cases cases/\n"
                 "  kgym cases cases/ --filter replay/ --repeat 3\n"
                 "  kgym cases cases/ --again 2   # on a machine that does other work meanwhile\n\n"
                 "Exit: 0 all as expected, 1 not, 2 a case that cannot be read. The format is in docs/cases.md.");
  sub->add_option("DIR", options.folder, "folder that is searched for case.yaml")->required();
  sub->add_option("--filter", options.filter, "only cases whose path contains this")->type_name("TEXT");
  sub->add_option("--out", options.out, "write every verdict, a line each")->type_name("FILE");
  sub->add_option("--jobs", options.jobs, "evaluations at once (default: 4, on a GPU 16)")
      ->type_name("N")
      ->check(CLI::Range(1, 256).description(""));
  sub->add_option("--repeat", options.repeat, "run each case N times")
      ->type_name("N")
      ->check(CLI::Range(1, 1000).description(""));
  sub->add_option(
         "--again", options.again,
         "judge N times again, alone, what ended otherwise than expected; right if right each time (default: 0)")
      ->type_name("N")
      ->check(CLI::Range(0, 100).description(""));
  sub->add_option("--root", options.source.root, "folder of the built-in suite")->type_name("DIR");
  AddConfig(sub, options.config);
  AddJson(sub, options.json);
}

void AddProblems(CLI::App& app, ProblemsOptions& options) {
  CLI::App* sub = Subcommand(app, "problems", "List, show and check problems",
                             "  kgym problems list\n"
                             "  kgym problems show level1/softmax\n"
                             "  kgym problems check level1/softmax my_problem.py\n"
                             "  kgym problems check --suite kernelbench --root ../KernelBench 1/19\n"
                             "  kgym problems check --suite kernelbench --root ../KernelBench --fit --out found.jsonl");
  sub->require_subcommand(1);
  sub->add_subcommand("list", "names, workloads and what they compute")->fallthrough()->callback([&options] {
    options.action = ProblemsOptions::Action::kList;
  });
  CLI::App* show = sub->add_subcommand("show", "the source of one problem")->fallthrough();
  show->add_option("NAME", options.names, "the problem")->required()->expected(1);
  show->callback([&options] { options.action = ProblemsOptions::Action::kShow; });
  CLI::App* check =
      sub->add_subcommand("check", "what would let a wrong submission pass, or a right one fail")->fallthrough();
  check->add_option("NAME", options.names, "problems or files; none: the whole suite");
  check->add_flag("--fit", options.fit, "look at a large problem with smaller sizes, chosen so that it still runs");
  check->add_option("--out", options.out, "write what was found, a line a problem")->type_name("FILE");
  check
      ->add_option("--jobs", options.jobs,
                   "problems at once (default: 1); one for which there was no memory is looked at again alone")
      ->type_name("N")
      ->check(CLI::Range(1, 64).description(""));
  check->callback([&options] { options.action = ProblemsOptions::Action::kCheck; });
  AddProblemSource(sub, options.source, true);
  AddConfig(sub, options.config);
  AddJson(sub, options.json);
}

void AddWorkflow(CLI::App& app, WorkflowOptions& options) {
  CLI::App* sub =
      Subcommand(app, "workflow", "Run, check and list workflows: graphs of toolkit steps (docs/extending.md)",
                 "  kgym workflow list --set judge.extensions=examples/extending\n"
                 "  kgym workflow check examples/extending/workflows/nbody.yaml\n"
                 "  kgym workflow run examples/extending/workflows/nbody.yaml \\\n"
                 "      --field submission=@examples/extending/submissions/leapfrog.py --field bodies=24\n"
                 "  kgym workflow run nbody --set judge.extensions=examples/extending --input input.json --artefacts "
                 "out/ --json\n\n"
                 "A file that lies in DIR/workflows needs no judge.extensions: DIR is meant.\n"
                 "Exit: 0 every step that ran is ok, 1 a step failed, 2 bad input, 3 the judge's own fault.");
  sub->require_subcommand(1);
  sub->add_subcommand("list", "names, input and what they do")->fallthrough()->callback([&options] {
    options.action = WorkflowOptions::Action::kList;
  });
  CLI::App* check =
      sub->add_subcommand("check", "whether names, types and order of the steps are sound")->fallthrough();
  check->add_option("NAME", options.names, "workflows of the folder, or files; none: all of the folder");
  check->callback([&options] { options.action = WorkflowOptions::Action::kCheck; });
  CLI::App* run = sub->add_subcommand("run", "run one on an input")->fallthrough();
  run->add_option("NAME", options.names, "a workflow of the folder, or a file")->required()->expected(1);
  run->add_option("--input", options.input, "JSON object with the workflow's input")->type_name("FILE");
  run->add_option("--field", options.fields, "one field of the input, after the file; @FILE is what a file holds")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  run->add_option("--artefacts", options.artefacts, "write the files that steps leave behind, a folder a step")
      ->type_name("DIR");
  run->callback([&options] { options.action = WorkflowOptions::Action::kRun; });
  sub->add_option("--root", options.root, "folder of the built-in suite, for steps that evaluate")->type_name("DIR");
  AddConfig(sub, options.config);
  AddJson(sub, options.json);
}

void AddOthers(CLI::App& app, ReplayOptions& replay, DoctorOptions& doctor, ShowConfigOptions& config) {
  CLI::App* sub =
      Subcommand(app, "replay", "Judge a kept evaluation again, and compare",
                 "  kgym eval level1/relu relu.py --keep kept/\n"
                 "  kgym replay kept/01k0xw3e6h8r2v9q5m7t4c1b2a.kgym\n\nExit: 0 the same outcome, 1 another.");
  sub->add_option("BUNDLE", replay.bundle, "a file that `kgym eval --keep` wrote")->required();
  AddConfig(sub, replay.config);
  AddJson(sub, replay.json);

  sub = Subcommand(app, "doctor", "Say what this machine can do, and what is missing",
                   "  kgym doctor\n  kgym doctor --json");
  AddConfig(sub, doctor.config);
  AddJson(sub, doctor.json);

  sub = Subcommand(
      app, "config", "Show every key of the configuration, its value and meaning",
      "  kgym config\n  kgym config --set timing.budget=5s --yaml > slow.yaml\n  kgym eval ... --config slow.yaml");
  AddConfig(sub, config.config);
  sub->add_flag("--yaml", config.yaml, "as a file that --config reads");
}

/// What serve and worker share: the lanes of this machine.
template <class Options>
void AddLanes(CLI::App* sub, Options& options) {
  sub->add_option("--name", options.name, "of this worker, unique on its queue (default: one of its own)")
      ->type_name("NAME");
  sub->add_option("--devices", options.devices, "what to judge on, one judge each: cuda:0,cuda:1")->type_name("LIST");
  sub->add_option("--labels", options.labels,
                  "what a task may ask of these lanes besides device and card: pool=a,rack=7")
      ->type_name("LIST");
  sub->add_option("--slots", options.slots, "evaluations that a device is given at once (default: 4, on a GPU 16)")
      ->type_name("N")
      ->check(CLI::Range(1, 256).description(""));
  sub->add_option("--fake-lanes", options.fake_lanes, "judge nothing: N lanes that say ok, for load tests")
      ->type_name("N")
      ->check(CLI::Range(1, 100'000).description(""));
  sub->add_option("--fake-hold", options.fake_hold, "how long such a lane holds a task (default: 50ms)")
      ->type_name("DURATION");
  sub->add_option("--fake-wedge", options.fake_wedge,
                  "after how long, on average, one of them falls ill for a second (default: 0s, never)")
      ->type_name("DURATION");
  sub->add_option("--drain", options.drain, "how long what runs may go on after SIGTERM (default: 30s)")
      ->type_name("DURATION");
}

void AddWorker(CLI::App& app, WorkOptions& options) {
  CLI::App* sub =
      Subcommand(app, "worker", "Work on a queue that is elsewhere, with the lanes of this machine",
                 "  kgym worker --join http://server:8700 --devices cuda:0,cuda:1\n"
                 "  kgym worker --join redis://:PASSWORD@queue:6379 --labels pool=night\n"
                 "  kgym worker --join http://server:8700 --build-only --build-arch 90\n\n"
                 "SIGTERM drains: what runs may end, and is handed back otherwise. A second one ends it at once;\n"
                 "what ran is then tried elsewhere once its lease is over. It waits for a queue that went away.");
  sub->add_option("--join", options.join, "the queue: http://HOST[:PORT] of a `kgym serve`, or the redis[s]:// it uses")
      ->type_name("URL")
      ->envname("KGYM_QUEUE")
      ->required();
  sub->add_option("--token", options.token, "of the server, with the scope `work`; better kept in KGYM_TOKEN")
      ->type_name("TOKEN")
      ->envname("KGYM_TOKEN");
  sub->add_flag("--build-only", options.build_only,
                "judge nothing: build for the lanes of others, and keep that with the server; needs no device");
  sub->add_option("--build-arch", options.build_arch, "of the cards to build for: 90, 100 (default: for CPU lanes)")
      ->type_name("ARCH")
      ->check(CLI::PositiveNumber.description(""));
  sub->add_option("--lease", options.lease, "what is not heard of for so long is tried elsewhere (default: 30s)")
      ->type_name("DURATION");
  AddLanes(sub, options);
  AddConfig(sub, options.config);
  AddJson(sub, options.json);
}

void AddServe(CLI::App& app, ServeOptions& options) {
  CLI::App* sub = Subcommand(app, "serve", "Judge what comes in over HTTP: API, queue, and the lanes of this machine",
                             "  kgym serve\n"
                             "  kgym serve --no-auth --port 8700\n"
                             "  kgym serve --host 0.0.0.0 --tokens tokens.json --devices cuda:0,cuda:1\n\n"
                             "It prints where to call it and how. SIGTERM drains, a second one ends it at once;\n"
                             "neither loses what was accepted. The API is in docs/api.md and at /openapi.json.");
  sub->add_option("--host", options.host, "address to listen on (default: 127.0.0.1)")->type_name("ADDRESS");
  sub->add_option("--port", options.port, "port to listen on; 0: any free one (default: 8700)")
      ->type_name("N")
      ->check(CLI::Range(0, 65'535).description(""));
  sub->add_flag("--no-auth", options.no_auth, "ask for no token; on loopback only");
  sub->add_option("--tokens", options.tokens,
                  "JSON list of {name, token, scopes, per_second, burst}; else one token, kept with the data")
      ->type_name("FILE");
  sub->add_option("--data", options.data, "folder of the queue (default: ~/.local/state/kgym)")->type_name("DIR");
  sub->add_option("--queue", options.queue, "queue that several servers share: redis://[:PASSWORD@]HOST[:PORT]")
      ->type_name("URL")
      ->envname("KGYM_QUEUE");
  AddLanes(sub, options);
  sub->add_flag("--no-lanes", options.no_lanes, "judge nothing here: workers elsewhere do it all");
  sub->add_option("--max-queued", options.max_queued, "tasks that may wait; beyond that 429 (default: 200000)")
      ->type_name("N")
      ->check(CLI::PositiveNumber.description(""));
  sub->add_option("--max-connections", options.max_connections, "beyond that 503 (default: 12000)")
      ->type_name("N")
      ->check(CLI::PositiveNumber.description(""));
  sub->add_option("--keep-for", options.keep_for, "how long results are kept (default: 168h)")->type_name("DURATION");
  sub->add_option("--keep-most", options.keep_most, "how many results are kept (default: 1000000)")
      ->type_name("N")
      ->check(CLI::PositiveNumber.description(""));
  sub->add_option("--builds-mb", options.builds_mb,
                  "MiB of builds that are kept for workers; 0 keeps none (default: 4096)")
      ->type_name("N")
      ->check(CLI::Range(0, 1 << 20).description(""));
  AddProblemSource(sub, options.source, false);
  AddConfig(sub, options.config);
  AddJson(sub, options.json);
}

/// The first word that a subcommand has no use for, and what it may have been meant to be.
std::string Unexpected(const CLI::App& sub) {
  std::vector<std::string> options, words = sub.remaining(true);
  for (const CLI::Option* option : sub.get_options()) options.push_back(option->get_name());
  const auto word = std::ranges::find_if(words, [](const std::string& text) { return text.starts_with("-"); });
  if (word == words.end())
    return words.empty() ? "too many arguments" : Concat("unexpected argument '", words.back(), "'");
  return Concat("unknown option '", *word, "'", DidYouMean(*word, options));
}

/// What CLI11 says, or that the first word is no command.
std::string WhatIsWrong(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands({})) names.push_back(sub->get_name());
  if (argc < 2) return Concat("a command is expected: ", Join(names, ", "));
  const bool command = argv[1][0] == '-' || std::ranges::find(names, argv[1]) != names.end();
  if (!command) return Concat("unknown command '", argv[1], "'", DidYouMean(argv[1], names));
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !app.get_subcommands().empty()) {
    return Unexpected(*app.get_subcommands().front());
  }
  for (const auto& [name, actions] :
       {std::pair{"problems", "list, show or check"}, {"workflow", "list, check or run"}}) {
    if (std::string_view(argv[1]) == name && app.get_subcommand(name)->get_subcommands().empty())
      return Concat(name, ": ", actions, " is expected");
  }
  std::string message = error.what();
  std::ranges::replace(message, '\n', ' ');
  return std::string(Trim(message));
}

/// What depends on the device where nothing was said. A configuration that cannot be read is the command's to report.
void FitDevice(const ConfigSource& source, ProblemSource* problems, int* jobs) {
  const Result<judge::JudgeConfig> config = LoadConfig(source);
  const bool on_gpu = config.ok() && config->on_gpu();
  if (problems->workload.empty()) problems->workload = on_gpu ? "gpu" : "cpu";
  if (jobs != nullptr && *jobs == 0) *jobs = on_gpu ? 16 : 4;
}

CommandLine Refuse(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const bool json = std::any_of(argv, argv + argc, [](std::string_view word) { return word == "--json"; });
  std::string sub;
  for (const CLI::App* chosen : app.get_subcommands()) sub = " " + chosen->get_name();
  Complain(Concat(WhatIsWrong(app, error, argc, argv), "; `kgym", sub, " --help` shows how"), json);
  return {std::nullopt, kBadInput};
}

}  // namespace

CommandLine ReadCommandLine(int argc, char** argv) {
  CLI::App app("Judges kernels written by models: correct, the submission's own work, and how much faster?", "kgym");
  app.set_version_flag("--version", std::string("kgym ") + KGYM_VERSION);
  app.require_subcommand(1);
  app.footer("`kgym COMMAND --help` shows options and examples.");
  EvalOptions eval;
  CasesOptions cases;
  ProblemsOptions problems;
  ReplayOptions replay;
  DoctorOptions doctor;
  ServeOptions serve;
  WorkOptions worker;
  ShowConfigOptions config;
  WorkflowOptions workflow;
  AddEval(app, eval);
  AddCases(app, cases);
  AddProblems(app, problems);
  AddWorkflow(app, workflow);
  AddOthers(app, replay, doctor, config);
  AddServe(app, serve);
  AddWorker(app, worker);
  ClientCommands client;
  AddClientCommands(app, client);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {  // --help, --version.
    return {std::nullopt, app.exit(done, std::cout, std::cerr)};
  } catch (const CLI::ParseError& error) {
    return Refuse(app, error, argc, argv);
  }
  FitDevice(eval.config, &eval.source, &eval.jobs);
  FitDevice(cases.config, &cases.source, &cases.jobs);
  FitDevice(problems.config, &problems.source, nullptr);
  const std::string name = app.get_subcommands().front()->get_name();
  if (name == "eval") return {eval};
  if (name == "cases") return {cases};
  if (name == "problems") return {problems};
  if (name == "replay") return {replay};
  if (name == "workflow") return {workflow};
  if (name == "doctor") return {doctor};
  if (name == "serve") return {serve};
  if (name == "worker") return {worker};
  if (name == "submit") return {client.submit};
  if (name == "status") return {client.status};
  if (name == "wait") return {client.wait};
  if (name == "cancel") return {client.cancel};
  if (name == "top") return {client.top};
  return {config};
}

}  // namespace kgym::app
