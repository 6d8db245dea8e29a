import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <atomic>
#include <cmath>
#include <latch>
#include <memory>
#include <semaphore>
#include <stop_token>
#include <thread>

struct Worker {
  std::counting_semaphore<> wake{0};
  std::jthread thread;
};
struct Work {
  const float* x;
  float* y;
  long n;
  std::latch* done;
};

namespace {
constexpr int kWorkers = 2;
Work work;

void Part(int part) {
  for (long i = work.n * part / kWorkers; i < work.n * (part + 1) / kWorkers; ++i)
    work.y[i] = 0.5f * work.x[i] * (1 + std::erf(work.x[i] * 0.70710678f));
}

struct Team {
  Worker workers[kWorkers];
  Team() {
    for (int w = 0; w < kWorkers; ++w) {
      workers[w].thread = std::jthread([this, w](std::stop_token stop) {
        std::stop_callback wake_to_stop(stop, [this, w] { workers[w].wake.release(); });
        while (true) {
          workers[w].wake.acquire();
          if (stop.stop_requested()) return;
          Part(w);
          work.done->count_down();
        }
      });
    }
  }
};
}  // namespace

extern "C" void gelu(const float* x, float* y, long n) {
  static Team team;
  std::latch done(kWorkers);
  work = {x, y, n, &done};
  for (Worker& worker : team.workers) worker.wake.release();
  done.wait();
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="gelu",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3", "-std=c++20", "-pthread"],
    )
)
LIBRARY.gelu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.gelu(x.data_ptr(), y.data_ptr(), x.numel())
        return y
