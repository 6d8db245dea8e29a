import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void matmul_batched(const float* a, const float* b, float* c, long batch, long m, long n, long k) {
  for (long s = 0; s < batch; ++s, a += m * k, b += k * n, c += m * n)
    for (long i = 0; i < m; ++i) {
      float* row = c + i * n;
      for (long j = 0; j < n; ++j) row[j] = 0;
      for (long p = 0; p < k; ++p)
        for (long j = 0; j < n; ++j) row[j] += a[i * k + p] * b[p * n + j];
    }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="matmul_batched",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3"],
    )
)
LIBRARY.matmul_batched.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 4


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        batch, m, k = a.shape
        c = torch.empty(batch, m, b.shape[2])
        LIBRARY.matmul_batched(a.data_ptr(), b.data_ptr(), c.data_ptr(), batch, m, b.shape[2], k)
        return c
