import ctypes
import functools
from collections.abc import Callable

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
template <int kTile>
static void Matmul(const float* a, const float* b, float* c, long m, long n, long k) {
  for (long first = 0; first < m; first += kTile)
    for (long i = first; i < (first + kTile < m ? first + kTile : m); ++i) {
      for (long j = 0; j < n; ++j) c[i * n + j] = 0;
      for (long p = 0; p < k; ++p)
        for (long j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
    }
}
extern "C" void matmul_small(const float* a, const float* b, float* c, long m, long n, long k) {
  Matmul<8>(a, b, c, m, n, k);
}
extern "C" void matmul_tall(const float* a, const float* b, float* c, long m, long n, long k) {
  Matmul<64>(a, b, c, m, n, k);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="matmul",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3"],
    )
)
for name in ("matmul_small", "matmul_tall"):
    getattr(LIBRARY, name).argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 3


@functools.lru_cache(maxsize=64)
def kernel_for(m: int, n: int, k: int) -> Callable[..., None]:
    return LIBRARY.matmul_tall if m > 8 * max(n, k) else LIBRARY.matmul_small


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        sizes = a.shape[0], b.shape[1], a.shape[1]
        c = torch.empty(sizes[:2])
        kernel_for(*sizes)(a.data_ptr(), b.data_ptr(), c.data_ptr(), *sizes)
        return c
