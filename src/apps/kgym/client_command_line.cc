#include "apps/kgym/client_command_line.h"

namespace kgym::app {
namespace {

CLI::App* Subcommand(CLI::App& app, const std::string& name, const std::string& meaning, const std::string& examples) {
  CLI::App* sub = app.add_subcommand(name, meaning);
  sub->footer("Examples:\n" + examples);
  return sub;
}

void AddRemote(CLI::App* sub, RemoteOptions& remote, bool& json) {
  sub->add_option("--url", remote.url, "the server (default: http://127.0.0.1:8700)")
      ->type_name("URL")
      ->envname("KGYM_URL");
  sub->add_option("--token", remote.token,
                  "its token; better kept in KGYM_TOKEN (default, on this machine: the one that `kgym serve` keeps)")
      ->type_name("TOKEN")
      ->envname("KGYM_TOKEN");
  sub->add_option("--patience", remote.patience,
                  "how long a server that is full, about to stop or was lost is asked again (default: 5m)")
      ->type_name("DURATION");
  sub->add_flag("--json", json, "for a program: JSON on standard output, a line each");
}

void AddIds(CLI::App* sub, std::vector<std::string>& ids, std::string& run) {
  sub->add_option("ID", ids, "of evaluations, as `kgym submit` printed them");
  sub->add_option("--run", run, "all of this run")->type_name("RUN");
}

void AddWhatIsJudged(CLI::App* sub, SubmitOptions& options) {
  sub->add_option("PROBLEM", options.problem,
                  "a problem's name or file; alone: a folder of submissions or a JSONL file");
  sub->add_option("SUBMISSION", options.submission, "a Python file that defines ModelNew");
  sub->add_option("--backend", options.backend,
                  "what the submission is written in: cpp (the default), triton, cuda, ...")
      ->type_name("NAME");
  sub->add_option("--entry", options.entry, "the class to judge (default: ModelNew)")->type_name("NAME");
  sub->add_option("--suite", options.suite,
                  "where problems are looked up by name: builtin, which the server has, or kernelbench, which is here")
      ->type_name("SUITE");
  sub->add_option("--root", options.root, "the suite's folder on this machine; its problems are sent along")
      ->type_name("DIR");
  sub->add_option("--workload", options.workload,
                  "scale of the problem: a key of its WORKLOADS, or `default` (default: the one that suits the lane)")
      ->type_name("NAME");
  sub->add_option("--size", options.sizes,
                  "one size of the problem, in place of the workload's; may be given again for others")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  sub->add_option("--set", options.set, "one key of the server's configuration; `kgym config` lists all")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void AddWhatIsRun(CLI::App* sub, SubmitOptions& options) {
  sub->add_option("--workflow", options.workflow, "run this workflow of the server's, in place of judging a submission")
      ->type_name("NAME");
  sub->add_option("--input", options.input, "JSON object with the workflow's input")->type_name("FILE");
  sub->add_option("--field", options.fields, "one field of the input, after the file; @FILE is what a file holds")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

void AddSubmit(CLI::App& app, SubmitOptions& options) {
  CLI::App* sub = Subcommand(app, "submit", "Hand a submission, many of them, or a workflow's input to a server",
                             "  kgym submit level1/rmsnorm examples/demo/level1__rmsnorm__fused.py --wait\n"
                             "  kgym submit my_problem.py my_kernel.py --backend triton --priority high --id step12\n"
                             "  kgym submit examples/demo --run night    a folder of <level>__<problem>__<what>.py\n"
                             "  kgym submit rows.jsonl --url http://server:8700 --label 'card=NVIDIA L4'\n"
                             "  kgym submit --workflow nbody --field submission=@leapfrog.py --field seed=7 --wait\n\n"
                             "Submitting the same content again under the same --id is the same evaluation.\n"
                             "Exit: 0 accepted, 2 bad input or refused, 3 no answer; with --wait as `kgym eval`.");
  AddWhatIsJudged(sub, options);
  AddWhatIsRun(sub, options);
  sub->add_option("--id", options.id, "yours; of many what their ids begin with, ID-1 for the first (default: made up)")
      ->type_name("ID");
  sub->add_option("--run", options.run, "what it belongs to (default, of many: what their ids begin with)")
      ->type_name("RUN");
  sub->add_option("--priority", options.priority, "low, normal (the default) or high")->type_name("PRIORITY");
  sub->add_option("--label", options.labels, "what a lane must have; may be given again for others")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  sub->add_flag("--wait", options.wait, "until all have ended, and print their verdicts");
  AddRemote(sub, options.remote, options.json);
}

}  // namespace

void AddClientCommands(CLI::App& app, ClientCommands& commands) {
  AddSubmit(app, commands.submit);

  CLI::App* sub = Subcommand(app, "status", "Show evaluations of a server, the newest first",
                             "  kgym status\n"
                             "  kgym status --run night --state running --limit 100\n"
                             "  kgym status 01k0xw3e6h8r2v9q5m7t4c1b2a --json\n\n"
                             "Exit: 0, 2 bad input or an id that is not known, 3 no answer.");
  AddIds(sub, commands.status.ids, commands.status.run);
  sub->add_option("--state", commands.status.state, "only those: queued, running, done, cancelled or dead")
      ->type_name("STATE");
  sub->add_option("--limit", commands.status.limit, "how many at most (default: 20)")
      ->type_name("N")
      ->check(CLI::PositiveNumber.description(""));
  AddRemote(sub, commands.status.remote, commands.status.json);

  sub = Subcommand(app, "wait", "Wait until evaluations of a server have ended, and show their verdicts",
                   "  kgym wait 01k0xw3e6h8r2v9q5m7t4c1b2a\n  kgym wait --run night\n\n"
                   "Exit: 0 all ok, 1 any other verdict, 2 bad input, 3 the judge's own fault or no answer.");
  AddIds(sub, commands.wait.ids, commands.wait.run);
  AddRemote(sub, commands.wait.remote, commands.wait.json);

  sub = Subcommand(app, "cancel", "Stop evaluations of a server; one that has ended stays as it is",
                   "  kgym cancel 01k0xw3e6h8r2v9q5m7t4c1b2a\n  kgym cancel --run night\n\n"
                   "Exit: 0, 2 bad input or an id that is not known, 3 no answer.");
  AddIds(sub, commands.cancel.ids, commands.cancel.run);
  AddRemote(sub, commands.cancel.remote, commands.cancel.json);

  sub = Subcommand(app, "top", "Watch a server: queue, lanes, what runs, throughput, verdicts",
                   "  kgym top\n  kgym top --once\n  kgym top --json --url http://server:8700\n\n"
                   "Ctrl-C ends it. Without a terminal it prints once.");
  sub->add_flag("--once", commands.top.once, "print it once");
  AddRemote(sub, commands.top.remote, commands.top.json);
}

}  // namespace kgym::app
