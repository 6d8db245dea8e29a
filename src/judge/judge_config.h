// What can be set about a judge: defaults, meanings and units of every key, in one place.
//
// Threads: plain values, constant once a judge was made with them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/duration.h"

namespace kgym::judge {

struct CorrectnessConfig {
  int sets = 5;
  double rtol = 0;
  double atol_rms = 0;

  template <class Visitor>
  void Visit(Visitor&& field) {
    field("sets", sets,
          {.meaning = "input sets that must be answered rightly before timing", .unit = "sets", .min = 1, .max = 100});
    field("rtol", rtol,
          {.meaning = "relative tolerance; 0: derived from dtype, reduction and a float64 evaluation", .min = 0});
    field("atol_rms", atol_rms,
          {.meaning = "absolute tolerance in units of the output's root mean square; 0: derived", .min = 0});
  }
};

struct TimingConfig {
  bool enabled = true;
  Duration batch = 4ms;
  Duration generate = 8ms;
  int warmup = -1;
  int max_calls = 0;
  int min_rounds = 0;
  int max_rounds = 24;
  Duration budget = 1s;
  Duration longest = 10s;
  double precision = 0.02;
  Duration resolution = 1us;
  double confidence = 0;
  double systematic = 0.01;
  double clock_slack = 0.25;
  double peak_gb_per_s = 0;
  bool compile = false;
  bool graph_replays = false;

  template <class Visitor>
  void Visit(Visitor&& field) {
    field("enabled", enabled, {.meaning = "measure times; without it a verdict is about correctness alone"});
    field("batch", batch, {.meaning = "calls of a batch go on for about this long", .min = 1e-4, .max = 10});
    field("generate", generate,
          {.meaning = "time for making one batch's fresh inputs; bounds its calls", .min = 1e-4, .max = 10});
    field("warmup", warmup,
          {.meaning = "calls at the start of each batch that are not counted; -1: 2 on a CPU, 1 on a GPU",
           .unit = "calls",
           .min = -1,
           .max = 100});
    field("max_calls", max_calls,
          {.meaning = "most calls of a batch; 0: 8 on a CPU, 5 on a GPU", .unit = "calls", .min = 0, .max = 1000});
    field("min_rounds", min_rounds,
          {.meaning = "fewest rounds; a round is one batch of either side; 0: 8 on a CPU, 6 on a GPU",
           .unit = "rounds",
           .min = 0,
           .max = 1000});
    field("max_rounds", max_rounds, {.meaning = "most rounds", .unit = "rounds", .min = 6, .max = 10000});
    field("budget", budget, {.meaning = "no round is begun after this, beyond the fewest", .min = 0});
    field("longest", longest,
          {.meaning = "rounds end after this even where there are fewer than the fewest, but for three: others wait",
           .min = 0});
    field("precision", precision,
          {.meaning = "stop when the speedup's interval is within this share of its middle", .min = 0, .max = 1});
    field("resolution", resolution,
          {.meaning = "or when the interval of a call's time is this narrow: shorter differences are launch cost",
           .min = 0});
    field("confidence", confidence,
          {.meaning = "of every interval; 0: 0.99 on a CPU, 0.95 on a GPU", .min = 0, .max = 0.9999});
    field(
        "systematic", systematic,
        {.meaning = "what a speedup's interval is widened by for differences between processes", .min = 0, .max = 0.5});
    field("clock_slack", clock_slack,
          {.meaning = "share of a batch by which the judge's clock may exceed the host's", .min = 0.01, .max = 1});
    field(
        "peak_gb_per_s", peak_gb_per_s,
        {.meaning = "no memory is faster; floor of a time that reads its inputs; 0: 1000 on a CPU, the card's on a GPU",
         .unit = "GB/s",
         .min = 0});
    field("compile", compile, {.meaning = "also time the reference under torch.compile"});
    field("graph_replays", graph_replays,
          {.meaning = "on a GPU, also replay calls below 20 us as CUDA graphs: times beside the others, no speedup"});
  }
};

struct LimitsConfig {
  Duration start = 120s;
  Duration open = 60s;
  Duration build = 180s;
  Duration load = 30s;
  Duration call = 10s;
  Duration step = 60s;
  int memory_mb = 0;
  int processes = 0;
  int tmp_mb = 512;
  int arena_mb = 0;

  template <class Visitor>
  void Visit(Visitor&& field) {
    field("start", start, {.meaning = "starting the zygote (imports torch)", .min = 1});
    field("open", open, {.meaning = "loading and examining a problem", .min = 0.01});
    field("build", build, {.meaning = "building a submission's native code", .min = 0.01});
    field("load", load, {.meaning = "importing and constructing a submission", .min = 0.01});
    field("call", call,
          {.meaning = "one call of a submission; a batch of n calls gets at most n times it", .min = 0.001});
    field("step", step, {.meaning = "one step of a workflow (docs/extending.md)", .min = 0.01});
    field("memory", memory_mb,
          {.meaning = "private memory of a host; 0: 4096 on a CPU, 16384 on a GPU", .unit = "MB", .min = 0});
    field("processes", processes,
          {.meaning = "processes and threads of a host together; 0: 128 on a CPU, 512 on a GPU",
           .unit = "processes",
           .min = 0});
    field("tmp", tmp_mb, {.meaning = "files of a host, in memory", .unit = "MB", .min = 1});
    field("arena", arena_mb,
          {.meaning = "shared memory for an evaluation's tensors; 0: 1024 on a CPU, 640 on a GPU",
           .unit = "MB",
           .min = 0});
  }
};

enum class SandboxLevel { kBest, kStrict };

/// What a submission may use beside its own kernels; library_policy.h has the rule.
enum class AllowedLibrary { kNone, kBlas, kAny };

/// Faults that tests ask the judge to have, to show that they are never the submission's.
enum class InjectedFault { kNone, kReferenceDies, kReferenceStalls };

struct JudgeConfig {
  CorrectnessConfig correctness;
  TimingConfig timing;
  LimitsConfig limits;
  std::string device = "cpu";
  int at_once = 0;
  std::string python;
  std::string cache;
  std::string extensions;
  std::vector<std::string> cpus;
  int build_jobs = 2;
  int pool = -1;
  int connections = 1;
  SandboxLevel sandbox = SandboxLevel::kBest;
  bool require_custom_kernel = true;
  AllowedLibrary allow_library = AllowedLibrary::kAny;
  double min_coverage = 0;
  bool trace = false;
  InjectedFault inject = InjectedFault::kNone;

  bool on_gpu() const { return device.starts_with("cuda"); }

  /// Whether anything depends on whose work an answer is.
  bool WorkMatters() const {
    return require_custom_kernel || allow_library != AllowedLibrary::kAny || min_coverage > 0;
  }

  /// What is wrong with it beyond single fields' bounds: a sentence that names the key, or nothing.
  std::string Fault() const;

  /// The same with every value that depends on the device filled in.
  JudgeConfig Completed() const;

  template <class Visitor>
  void Visit(Visitor&& field) {
    field.Group("correctness", correctness);
    field.Group("timing", timing);
    field.Group("limits", limits);
    field("judge.device", device,
          {.meaning = "what to judge on: cpu, cuda (the first card that CUDA_VISIBLE_DEVICES shows), or cuda:N"});
    field("judge.at_once", at_once,
          {.meaning = "evaluations that share the device, of which one measures; 0: 1 on a CPU, 10 on a GPU",
           .unit = "evaluations",
           .min = 0,
           .max = 64});
    field("judge.python", python, {.meaning = "interpreter with torch; empty: KGYM_PYTHON, .venv, python3"});
    field("judge.cache", cache,
          {.meaning = "folder for builds and baselines; empty: $XDG_CACHE_HOME/kgym or ~/.cache/kgym"});
    field("judge.extensions", extensions,
          {.meaning = "folder with backends, toolkits and workflows of your own (docs/extending.md); empty: none"});
    field("judge.cpus", cpus, {.meaning = "cores to measure on; empty: all but the first"});
    field("judge.build_jobs", build_jobs, {.meaning = "builds at once", .unit = "builds", .min = 1, .max = 256});
    field("judge.pool", pool,
          {.meaning = "candidate hosts kept ready; -1: 2 on a CPU, 6 on a GPU", .unit = "hosts", .min = -1, .max = 64});
    field(
        "judge.connections", connections,
        {.meaning = "hardware queues of a host's context on a GPU; with 1 making a context takes a third of the time, "
                    "with 8 (CUDA's default) kernels of several streams overlap more",
         .unit = "queues",
         .min = 1,
         .max = 32});
    field("judge.sandbox", sandbox,
          {.meaning = "best: as far as the kernel lets us; strict: refuse less than everything",
           .choices = {"best", "strict"}});
    field("judge.require_custom_kernel", require_custom_kernel,
          {.meaning = "reject what is not the submission's own kernel"});
    field("judge.allow_library", allow_library,
          {.meaning = "what may compute beside own kernels: none: nothing, neither a library nor an operator of the "
                      "framework; blas: matrix products and convolutions; any: everything",
           .choices = {"none", "blas", "any"}});
    field("judge.min_coverage", min_coverage,
          {.meaning = "least share of the time that must be own kernels' (own_work.coverage), where it is known",
           .min = 0,
           .max = 1});
    field("judge.trace", trace,
          {.meaning = "say in a verdict's stages how long each kind of question to the hosts took"});
    field("judge.inject", inject,
          {.meaning = "a fault of the judge to simulate, for its tests",
           .choices = {"none", "reference-dies", "reference-stalls"}});
  }
};

inline std::string JudgeConfig::Fault() const {
  if (device != "cpu" && device != "cuda" && !device.starts_with("cuda:"))
    return "judge.device is '" + device + "'; cpu, cuda or cuda:N is expected";
  const auto at_least = [](const char* key, int value, int least) -> std::string {
    if (value == 0 || value >= least) return "";
    return std::string(key) + " is " + std::to_string(value) + "; 0 or at least " + std::to_string(least) +
           " is expected";
  };
  for (std::string fault :
       {at_least("limits.memory", limits.memory_mb, 256), at_least("limits.processes", limits.processes, 8),
        at_least("timing.min_rounds", timing.min_rounds, 6)}) {
    if (!fault.empty()) return fault;
  }
  if (timing.confidence != 0 && timing.confidence < 0.5)
    return "timing.confidence is " + std::to_string(timing.confidence) + "; 0 or at least 0.5 is expected";
  return "";
}

inline JudgeConfig JudgeConfig::Completed() const {
  JudgeConfig full = *this;
  const auto fill = [this](auto& value, auto unset, auto cpu, auto gpu) {
    if (value == unset) value = on_gpu() ? gpu : cpu;
  };
  fill(full.at_once, 0, 1, 10);
  fill(full.pool, -1, 2, 6);
  fill(full.timing.warmup, -1, 2, 1);
  fill(full.timing.max_calls, 0, 8, 5);
  fill(full.timing.min_rounds, 0, 8, 6);
  fill(full.timing.confidence, 0.0, 0.99, 0.95);
  fill(full.limits.memory_mb, 0, 4096, 16384);
  fill(full.limits.processes, 0, 128, 512);
  fill(full.limits.arena_mb, 0, 1024, 640);
  return full;
}

}  // namespace kgym::judge
