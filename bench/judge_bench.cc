// The judge of CPU lanes, measured: how fast a host is ready, what an evaluation costs beyond the code it runs, how
// well a speedup repeats, whether anything is left behind. Each figure stands beside its baseline, measured in the same
// run, or its target. Nothing is asserted.
//
//   judge_bench [--json FILE] [--set key=value ...]
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/clock.h"
#include "base/config.h"
#include "base/text.h"
#include "judge/judge.h"

namespace kgym::judge {
namespace {

constexpr const char* kProblem = R"(
"""Leaky relu of a matrix."""
import torch, torch.nn as nn
rows, cols = 256, 512
class Model(nn.Module):
    def forward(self, x): return torch.where(x > 0, x, 0.1 * x)
def get_inputs(): return [torch.randn(rows, cols)]
def get_init_inputs(): return []
)";

constexpr const char* kKernel = R"(
import ctypes, torch, torch.nn as nn
from torch.utils.cpp_extension import load_inline
lib = ctypes.CDLL(load_inline(name="leaky", cpp_sources='''
extern "C" void leaky(const float* x, float* y, long n) { for (long i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : 0.1f * x[i]; }
''', is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]))
lib.leaky.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long]
class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        lib.leaky(x.data_ptr(), y.data_ptr(), x.numel())
        return y
)";

constexpr const char* kReferenceAgain = R"(
import torch, torch.nn as nn
class ModelNew(nn.Module):
    def forward(self, x): return torch.where(x > 0, x, 0.1 * x)
)";

void Print(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

double MsSince(Instant start) { return ToMs(std::chrono::steady_clock::now() - start); }

/// What a judge without a zygote pays for every process: a Python that imports torch.
double ColdPythonMs(const std::string& python) {
  const Instant start = std::chrono::steady_clock::now();
  const std::string command = python + " -I -c 'import torch' 2>/dev/null";
  const int status = std::system(command.c_str());
  return status == 0 ? MsSince(start) : 0;
}

/// What an evaluation could leave behind: our memory and descriptors, processes, temporary files, shared memory.
struct Left {
  long resident_kb = 0, descriptors = 0, processes = 0, temporary = 0, shared = 0;
};

long CountEntries(const char* folder, const std::function<bool(const std::string&)>& wanted) {
  long count = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    count += wanted(entry.path().filename().string());
  return count;
}

Left Look() {
  Left left;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) left.resident_kb = std::atol(line.c_str() + 6);
  }
  const auto any = [](const std::string&) { return true; };
  left.descriptors = CountEntries("/proc/self/fd", any);
  left.processes = CountEntries(
      "/proc", [](const std::string& name) { return name.find_first_not_of("0123456789") == std::string::npos; });
  left.temporary = CountEntries("/tmp", [](const std::string& name) { return name.starts_with("kgym-"); });
  left.shared = CountEntries("/dev/shm", any);
  return left;
}

struct Figures {
  Json json = Json::object();
  void Add(const std::string& name, double value, const std::string& unit, const std::string& beside) {
    json[name] = value;
    Print(
        Concat("  ", name, std::string(name.size() < 44 ? 44 - name.size() : 1, ' '), value, " ", unit, "   ", beside));
  }
};

class Bench {
 public:
  Bench(Judge& judge, Figures& figures) : judge_(judge), figures_(figures) {}

  Awaitable<Verdict> Once(const char* source, bool custom, Json sizes = Json::object()) {
    JudgeConfig config = judge_.config();
    config.require_custom_kernel = custom;
    Problem problem{.name = "bench", .source = kProblem};
    problem.sizes = std::move(sizes);
    Submission submission{.name = "bench", .source = source};
    Judged judged = co_await judge_.Evaluate(std::move(problem), std::move(submission), std::move(config));
    if (auto* verdict = std::get_if<Verdict>(&judged)) co_return std::move(*verdict);
    Verdict none;
    none.reason = std::get<ProblemFault>(judged).message;
    co_return none;
  }

  Awaitable<void> Overhead(std::string name, Json sizes) {
    Print(Concat("overhead: a warm evaluation of a problem of ", DumpJson(sizes), ", 40 times"));
    co_await Once(kKernel, true, sizes);
    std::vector<double> total, overhead, wide, host, rounds;
    for (int i = 0; i < 40; ++i) {
      const Verdict verdict = co_await Once(kKernel, true, sizes);
      if (verdict.outcome != Outcome::kOk) continue;
      const auto stage = [&verdict](const char* key) { return verdict.stages[key].get<double>(); };
      total.push_back(stage("total_ms") - stage("build_ms") - stage("wait_ms"));
      wide.push_back(total.back() - stage("code_ms"));
      overhead.push_back(wide.back() - stage("problem_code_ms"));
      host.push_back(stage("host_ms"));
      rounds.push_back(verdict.timing["rounds"].get<double>());
    }
    if (total.empty()) co_return Print("  no evaluation was ok");
    const double cold = ColdPythonMs(FindPython(judge_.config().python));
    figures_.Add(name + "_evaluation_ms", Median(total), "ms", "median, without building and waiting for the lane");
    figures_.Add(name + "_overhead_ms", Median(overhead), "ms",
                 "beyond running the problem's and the submission's code; target 60");
    figures_.Add(name + "_overhead_with_inputs_ms", Median(wide), "ms",
                 "the same with the making of fresh inputs and of the answers to verify");
    figures_.Add(name + "_rounds", Median(rounds), "", "of timing");
    figures_.Add(name + "_host_from_pool_ms", Median(host), "ms", "a candidate host; target 50");
    figures_.Add(name + "_cold_python_ms", cold, "ms", "baseline: a process that imports torch");
    figures_.Add(name + "_cold_python_over_overhead", cold / Median(overhead), "x",
                 "how much dearer a process for each evaluation would be");
  }

  Awaitable<void> Repeatability() {
    Print("repeatability: the same kernel judged 20 times");
    std::vector<double> speedups, candidate;
    for (int i = 0; i < 20; ++i) {
      const Verdict verdict = co_await Once(kKernel, true);
      if (verdict.speedup) speedups.push_back(*verdict.speedup);
      if (verdict.candidate_ms) candidate.push_back(*verdict.candidate_ms);
    }
    if (speedups.empty()) co_return Print("  no speedup was measured");
    figures_.Add("speedup_median", Median(speedups), "x", Concat(speedups.size(), " of 20 evaluations"));
    figures_.Add("speedup_cv", 100 * CoefficientOfVariation(speedups), "%", "of the speedup");
    figures_.Add("time_cv", 100 * CoefficientOfVariation(candidate), "%",
                 "baseline: of the candidate's time alone, without the ratio");
  }

  Awaitable<void> Itself(int runs) {
    Print(Concat("the reference against itself, ", runs, " times"));
    int inside = 0, measured = 0;
    std::vector<double> speedups;
    for (int i = 0; i < runs; ++i) {
      const Verdict verdict = co_await Once(kReferenceAgain, false);
      if (!verdict.speedup) continue;
      ++measured;
      speedups.push_back(*verdict.speedup);
      inside += verdict.speedup_interval->low <= 1 && 1 <= verdict.speedup_interval->high;
    }
    if (measured == 0) co_return Print("  no speedup was measured");
    figures_.Add("itself_inside_percent", 100.0 * inside / measured, "%", "have 1.0 within their interval; target 95");
    figures_.Add("itself_median", Median(speedups), "x", "should be 1");
    figures_.Add("itself_cv", 100 * CoefficientOfVariation(speedups), "%", "");
  }

  Awaitable<void> Leaks(int runs) {
    Print(Concat("nothing left behind: ", runs, " evaluations in a row, after 20 to warm up"));
    for (int i = 0; i < 20; ++i) co_await Once(kKernel, true);
    const Left before = Look();
    const Instant start = std::chrono::steady_clock::now();
    for (int i = 0; i < runs; ++i) co_await Once(kKernel, true);
    figures_.Add("evaluations_per_hour", runs * 3.6e6 / MsSince(start), "/h", "one lane, one after the other");
    const Left after = Look();
    figures_.Add("grown_memory_kb", static_cast<double>(after.resident_kb - before.resident_kb), "KB", "of the judge");
    figures_.Add("grown_descriptors", static_cast<double>(after.descriptors - before.descriptors), "", "");
    figures_.Add("grown_processes", static_cast<double>(after.processes - before.processes), "",
                 "on the whole machine");
    figures_.Add("grown_temporary", static_cast<double>(after.temporary - before.temporary), "",
                 "entries of ours in /tmp");
    figures_.Add("grown_shared", static_cast<double>(after.shared - before.shared), "", "entries in /dev/shm");
  }

 private:
  Judge& judge_;
  Figures& figures_;
};

Awaitable<void> Run(Executor executor, JudgeConfig config, std::string file) {
  const Instant start = std::chrono::steady_clock::now();
  Result<std::unique_ptr<Judge>> judge = co_await Judge::Start(executor, config);
  if (!judge.ok()) co_return Print("judge_bench: " + judge.error().message);
  Figures figures;
  Print(
      Concat("machine: ", DumpJson((*judge)->provenance()["cpu"]), ", ", DumpJson((*judge)->provenance()["versions"])));
  figures.Add("start_ms", MsSince(start), "ms", "the judge with its zygote");
  Bench bench(**judge, figures);
  Json tiny = {{"rows", 64}, {"cols", 256}}, small = {{"rows", 256}, {"cols", 512}};
  co_await bench.Overhead("tiny", std::move(tiny));
  co_await bench.Overhead("small", std::move(small));
  co_await bench.Repeatability();
  co_await bench.Itself(40);
  co_await bench.Leaks(200);
  co_await (*judge)->Close();
  if (file.empty()) co_return;
  const Json record = {{"at", WallTime()}, {"provenance", (*judge)->provenance()}, {"figures", figures.json}};
  if (Status written = WriteFileAtomic(file, DumpJson(record, 1) + "\n"); !written.ok()) Print(written.error().message);
}

}  // namespace
}  // namespace kgym::judge

int main(int argc, char** argv) {
  using namespace kgym;
  judge::JudgeConfig config;
  ConfigFields fields(config);
  std::string file;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string_view(argv[i]) == "--json") file = argv[i + 1];
    if (std::string_view(argv[i]) != "--set") continue;
    if (Status set = fields.Override(argv[i + 1]); !set.ok()) {
      std::fprintf(stderr, "judge_bench: %s\n", set.error().message.c_str());
      return 2;
    }
  }
  boost::asio::io_context io;
  Spawn(io.get_executor(), judge::Run(io.get_executor(), config, file));
  io.run();
}
