import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <algorithm>

extern "C" void matmul(const float* a, const float* b, float* c, long m, long n, long k) {
  std::fill(c, c + m * n, 0.0f);
  constexpr long kTile = 64;
  for (long p0 = 0; p0 < k; p0 += kTile) {
    const long p1 = std::min(k, p0 + kTile);
    long i = 0;
    for (; i + 4 <= m; i += 4)
      for (long p = p0; p < p1; ++p) {
        const float* row = b + p * n;
        const float a0 = a[i * k + p], a1 = a[(i + 1) * k + p], a2 = a[(i + 2) * k + p], a3 = a[(i + 3) * k + p];
        float* c0 = c + i * n;
        for (long j = 0; j < n; ++j) {
          c0[j] += a0 * row[j];
          c0[n + j] += a1 * row[j];
          c0[2 * n + j] += a2 * row[j];
          c0[3 * n + j] += a3 * row[j];
        }
      }
    for (; i < m; ++i)
      for (long p = p0; p < p1; ++p)
        for (long j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="matmul", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.matmul.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        c = torch.empty(a.shape[0], b.shape[1])
        LIBRARY.matmul(a.data_ptr(), b.data_ptr(), c.data_ptr(), a.shape[0], b.shape[1], a.shape[1])
        return c
