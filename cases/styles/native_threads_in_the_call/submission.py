import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>
#include <thread>
#include <vector>

static void Part(const float* x, float* y, long n) {
  for (long i = 0; i < n; ++i) {
    const float v = x[i];
    const float softplus = v > 20 ? v : std::log1p(std::exp(v));
    y[i] = v * std::tanh(softplus) + 0.25f * std::sin(5 * v) * std::exp(-v * v);
  }
}

extern "C" void formula(const float* x, float* y, long n) {
  constexpr long kParts = 4;
  std::vector<std::thread> threads;
  for (long p = 0; p < kParts; ++p) {
    const long first = n * p / kParts, end = n * (p + 1) / kParts;
    threads.emplace_back(Part, x + first, y + first, end - first);
  }
  for (std::thread& thread : threads) thread.join();
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="formula",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3", "-pthread"],
        extra_ldflags=["-pthread"],
    )
)
LIBRARY.formula.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.formula(x.data_ptr(), y.data_ptr(), x.numel())
        return y
