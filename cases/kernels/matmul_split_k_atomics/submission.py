import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

static void Part(const float* a, const float* b, float* c, long m, long n, long k, long first, long end) {
  std::vector<float> row(n);
  for (long i = 0; i < m; ++i) {
    std::fill(row.begin(), row.end(), 0.0f);
    for (long p = first; p < end; ++p)
      for (long j = 0; j < n; ++j) row[j] += a[i * k + p] * b[p * n + j];
    for (long j = 0; j < n; ++j) std::atomic_ref(c[i * n + j]).fetch_add(row[j], std::memory_order_relaxed);
  }
}

extern "C" void matmul(const float* a, const float* b, float* c, long m, long n, long k) {
  std::memset(c, 0, sizeof(float) * m * n);
  std::vector<std::jthread> threads;
  for (long t = 0; t < 4; ++t) threads.emplace_back(Part, a, b, c, m, n, k, k * t / 4, k * (t + 1) / 4);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="matmul",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3", "-pthread", "-std=c++20"],
        extra_ldflags=["-pthread"],
    )
)
LIBRARY.matmul.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        c = torch.empty(a.shape[0], b.shape[1])
        LIBRARY.matmul(a.data_ptr(), b.data_ptr(), c.data_ptr(), a.shape[0], b.shape[1], a.shape[1])
        return c
