import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <vector>

extern "C" void matmul(const _Float16* a, const _Float16* b, _Float16* c, long m, long n, long k) {
  std::vector<float> row(n);
  for (long i = 0; i < m; ++i) {
    row.assign(n, 0.0f);
    for (long p = 0; p < k; ++p) {
      const float left = static_cast<float>(a[i * k + p]);
      for (long j = 0; j < n; ++j) row[j] += left * static_cast<float>(b[p * n + j]);
    }
    for (long j = 0; j < n; ++j) c[i * n + j] = static_cast<_Float16>(row[j]);
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="matmul",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O2", "-msse2"],
    )
)
LIBRARY.matmul.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        c = torch.empty(a.shape[0], b.shape[1], dtype=a.dtype)
        LIBRARY.matmul(a.data_ptr(), b.data_ptr(), c.data_ptr(), a.shape[0], b.shape[1], a.shape[1])
        return c
