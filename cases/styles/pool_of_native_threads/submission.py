import ctypes
import weakref

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

struct Pool {
  static constexpr int kThreads = 3;

  Pool() {
    for (int i = 0; i < kThreads; ++i) threads.emplace_back([this, i] { Serve(i); });
  }
  ~Pool() {
    {
      std::lock_guard lock(mutex);
      stop = true;
    }
    wake.notify_all();
    for (std::thread& thread : threads) thread.join();
  }

  void Serve(int part) {
    long seen = 0;
    while (true) {
      std::unique_lock lock(mutex);
      wake.wait(lock, [&] { return stop || round != seen; });
      if (stop) return;
      seen = round;
      lock.unlock();
      const double sum = Part(part);
      lock.lock();
      sums[part] = sum;
      if (--left == 0) done.notify_one();
    }
  }

  double Part(int part) const {
    double sum = 0;
    for (long i = n * part / kThreads; i < n * (part + 1) / kThreads; ++i) {
      const double apart = std::fabs(double(x[i]) - y[i]);
      sum += apart < delta ? 0.5 * apart * apart : delta * (apart - 0.5 * delta);
    }
    return sum;
  }

  double Mean(const float* from_x, const float* from_y, long count, double border) {
    std::unique_lock lock(mutex);
    x = from_x, y = from_y, n = count, delta = border, left = kThreads, ++round;
    wake.notify_all();
    done.wait(lock, [this] { return left == 0; });
    double sum = 0;
    for (double part : sums) sum += part;
    return sum / n;
  }

  std::mutex mutex;
  std::condition_variable wake, done;
  bool stop = false;
  long round = 0, n = 0;
  int left = 0;
  double delta = 0, sums[kThreads] = {};
  const float *x = nullptr, *y = nullptr;
  std::vector<std::thread> threads;
};

extern "C" Pool* pool_new() { return new Pool; }
extern "C" void pool_delete(Pool* pool) { delete pool; }
extern "C" void pool_huber(Pool* pool, const float* x, const float* y, float* out, long n, double delta) {
  *out = static_cast<float>(pool->Mean(x, y, n, delta));
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="huber",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3", "-pthread", "-std=c++17"],
        extra_ldflags=["-pthread"],
    )
)
LIBRARY.pool_new.restype = ctypes.c_void_p
LIBRARY.pool_delete.argtypes = [ctypes.c_void_p]
LIBRARY.pool_huber.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long, ctypes.c_double]


class ModelNew(nn.Module):
    def __init__(self, delta: float) -> None:
        super().__init__()
        self.delta = delta
        self.pool = LIBRARY.pool_new()
        weakref.finalize(self, LIBRARY.pool_delete, self.pool)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        loss = torch.empty(())
        LIBRARY.pool_huber(self.pool, x.data_ptr(), y.data_ptr(), loss.data_ptr(), x.numel(), self.delta)
        return loss
