import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cstdint>
#include <cstring>
#include <vector>

namespace {
float Cut(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, 4);
  bits &= 0xffff0000;
  std::memcpy(&x, &bits, 4);
  return x;
}

std::vector<float> Parts(const float* x, long n) {
  std::vector<float> parts(3 * n);
  for (long i = 0; i < n; ++i) {
    float rest = x[i];
    for (long p = 0; p < 3; ++p) rest -= parts[p * n + i] = Cut(rest);
  }
  return parts;
}
}  // namespace

extern "C" void matmul(const float* a, const float* b, float* c, long m, long k, long n) {
  const std::vector<float> low_a = Parts(a, m * k), low_b = Parts(b, k * n);
  std::memset(c, 0, m * n * sizeof(float));
  for (long u = 2; u >= 0; --u)
    for (long v = 2 - u; v >= 0; --v)
      for (long i = 0; i < m; ++i)
        for (long p = 0; p < k; ++p)
          for (long j = 0; j < n; ++j) c[i * n + j] += low_a[u * m * k + i * k + p] * low_b[v * k * n + p * n + j];
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
        LIBRARY.matmul(a.data_ptr(), b.data_ptr(), c.data_ptr(), *a.shape, b.shape[1])
        return c
