import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <barrier>
#include <thread>
#include <vector>

extern "C" void suffix_sum(const float* x, float* y, long rows, long columns) {
  constexpr long kThreads = 4;
  std::vector<double> sums(rows * kThreads);
  std::barrier meet(kThreads);
  const auto work = [&](long t) {
    const long first = columns * t / kThreads, end = columns * (t + 1) / kThreads;
    for (long r = 0; r < rows; ++r) {
      double sum = 0;
      for (long c = first; c < end; ++c) sum += x[r * columns + c];
      sums[r * kThreads + t] = sum;
    }
    meet.arrive_and_wait();
    for (long r = 0; r < rows; ++r) {
      double behind = 0;
      for (long later = t + 1; later < kThreads; ++later) behind += sums[r * kThreads + later];
      for (long c = end - 1; c >= first; --c) {
        y[r * columns + c] = static_cast<float>(behind);
        behind += x[r * columns + c];
      }
    }
  };
  std::vector<std::jthread> threads;
  for (long t = 0; t < kThreads; ++t) threads.emplace_back(work, t);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="suffix_sum",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3", "-pthread", "-std=c++20"],
        extra_ldflags=["-pthread"],
    )
)
LIBRARY.suffix_sum.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.suffix_sum(x.data_ptr(), y.data_ptr(), *x.shape)
        return y
