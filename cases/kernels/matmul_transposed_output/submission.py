import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void matmul_transposed(const float* a, const float* b, float* ct, long m, long n, long k) {
  for (long i = 0; i < m * n; ++i) ct[i] = 0;
  for (long j = 0; j < n; ++j)
    for (long i = 0; i < m; ++i) {
      float sum = 0;
      for (long p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      ct[j * m + i] = sum;
    }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="matmul_transposed",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3"],
    )
)
LIBRARY.matmul_transposed.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        transposed = torch.empty(b.shape[1], a.shape[0])
        LIBRARY.matmul_transposed(
            a.data_ptr(), b.data_ptr(), transposed.data_ptr(), a.shape[0], b.shape[1], a.shape[1]
        )
        return transposed.t()
