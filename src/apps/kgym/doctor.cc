// kgym doctor: what this machine can do, shown by doing it: one small evaluation, start to end.
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <thread>

#include "apps/kgym/commands.h"
#include "apps/kgym/console.h"
#include "apps/kgym/doctor_report.h"
#include "apps/kgym/evaluate.h"
#include "apps/kgym/progress.h"
#include "apps/kgym/run.h"
#include "base/clock.h"
#include "base/text.h"
#include "judge/lane.h"
#include "judge/nvml.h"
#include "judge/runtime.h"

namespace kgym::app {
namespace {

constexpr const char* kProblem = R"(import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        return x * 2 + 1


def get_inputs():
    return [torch.randn(64, 1024)]


def get_init_inputs():
    return []
)";

constexpr const char* kSubmission = R"(import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = 'extern "C" void twice(const float* x, float* y, long n) { for (long i = 0; i < n; ++i) y[i] = x[i] * 2 + 1; }'
LIBRARY = ctypes.CDLL(load_inline("doctor", SOURCE, is_python_module=False, no_implicit_headers=True))
LIBRARY.twice.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        LIBRARY.twice(x.data_ptr(), y.data_ptr(), x.numel())
        return y
)";

constexpr const char* kTritonSubmission = R"(import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def twice(x, y, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < size) * 2 + 1, mask=at < size)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        twice[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
        return y
)";

/// The cards that the driver shows; why there are none is no fault of a machine without them.
Json Cards() {
  Json rows = Json::array();
  const Result<std::vector<judge::Card>> cards = judge::FindCards();
  if (!cards.ok()) return rows;
  for (const judge::Card& card : *cards) {
    const Result<judge::CardState> state = judge::StateOf(card);
    rows.push_back({{"device", "cuda:" + std::to_string(card.index)},
                    {"name", card.name},
                    {"uuid", card.uuid},
                    {"driver", card.driver},
                    {"arch", card.arch()},
                    {"memory_bytes", card.memory_bytes},
                    {"state", state.ok() ? state->ToJson() : Json(nullptr)}});
  }
  return rows;
}

/// The first line that a fixed command prints; nothing where it is not there.
std::string FirstLine(const char* command) {
  std::FILE* pipe = ::popen(command, "r");
  if (pipe == nullptr) return "";
  std::array<char, 256> line{};
  const bool some = std::fgets(line.data(), line.size(), pipe) != nullptr;
  return ::pclose(pipe) == 0 && some ? std::string(Trim(line.data())) : "";
}

Json Machine(const judge::JudgeConfig& config) {
  utsname name{};
  ::uname(&name);
  const Result<std::vector<int>> lane = judge::LaneCpus(config.cpus);
  return {{"system", Concat(name.sysname, " ", name.release, " ", name.machine)},
          {"cores", std::thread::hardware_concurrency()},
          {"lane_cores", lane.ok() ? Json(*lane) : Json(nullptr)}};
}

Json Compilers() {
  Json compilers = Json::object();
  compilers["g++"] = FirstLine("g++ --version 2>/dev/null");
  compilers["nvcc"] = FirstLine("nvcc --version 2>/dev/null | tail -n 1");
  return compilers;
}

Awaitable<int> Examine(judge::Judge& judge, judge::JudgeConfig config, Json& report) {
  Task task;
  task.problem.name = "doctor";
  task.problem.source = kProblem;
  task.problem.workload = "default";
  task.submission.name = "doctor";
  task.submission.source = config.on_gpu() ? kTritonSubmission : kSubmission;
  task.submission.backend = config.on_gpu() ? "triton" : "cpp";
  report["backend"] = task.submission.backend;
  report["backends"] = judge.backends();
  report["provenance"] = judge.provenance();
  const Evaluated evaluated = co_await Evaluate(judge, config, task, "");
  report["evaluation"] = evaluated.verdict;
  if (!evaluated.error.empty()) report["error"] = evaluated.error;
  co_return kFine;
}

}  // namespace

int Run(const DoctorOptions& options) {
  Result<judge::JudgeConfig> config = LoadConfig(options.config);
  if (!config.ok()) return Complain(config.error().message, options.json), kBadInput;
  config->pool = 0;  // So that a fork is made, and timed, when the evaluation asks for it.
  config->timing.min_rounds = config->timing.max_rounds = 8;
  Json report = {{"machine", Machine(*config)},
                 {"cards", Cards()},
                 {"python", judge::FindPython(config->python)},
                 {"backend", config->on_gpu() ? "triton" : "cpp"},
                 {"compilers", Compilers()}};
  Progress progress(0);
  progress.Stage("starting the judge ...");
  const Instant start = MonotonicClock().Now();
  const auto use = [&](judge::Judge& judge) -> Awaitable<int> {
    report["zygote_start_ms"] = ToMs(MonotonicClock().Now() - start);
    progress.Stage("one small evaluation ...");
    co_return co_await Examine(judge, *config, report);
  };
  const int code = WithJudge(*config, use, [&](const Error& error) -> int {
    report["error"] = error.message;
    return kFine;
  });
  progress.Clear();
  if (code != kFine) return code;
  Diagnose(report);
  if (options.json) {
    PrintJson(report);
  } else {
    Print(DoctorText(report, ColourWanted(STDOUT_FILENO)));
  }
  return report["can_evaluate"] == true ? kFine : kOtherVerdict;
}

}  // namespace kgym::app
