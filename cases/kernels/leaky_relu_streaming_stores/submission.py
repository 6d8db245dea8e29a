import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <immintrin.h>

extern "C" void leaky(const float* x, float* y, long n, float slope) {
  long i = 0;
  for (; i < n && reinterpret_cast<size_t>(y + i) % 16 != 0; ++i) y[i] = x[i] < 0 ? slope * x[i] : x[i];
  const __m128 zero = _mm_setzero_ps(), slopes = _mm_set1_ps(slope);
  for (; i + 4 <= n; i += 4) {
    _mm_prefetch(reinterpret_cast<const char*>(x + i + 128), _MM_HINT_NTA);
    const __m128 v = _mm_loadu_ps(x + i);
    _mm_stream_ps(y + i, _mm_add_ps(_mm_max_ps(v, zero), _mm_mul_ps(slopes, _mm_min_ps(v, zero))));
  }
  for (; i < n; ++i) y[i] = x[i] < 0 ? slope * x[i] : x[i];
  _mm_sfence();
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="leaky", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"])
)
LIBRARY.leaky.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long, ctypes.c_float]


class ModelNew(nn.Module):
    def __init__(self, slope: float) -> None:
        super().__init__()
        self.slope = slope

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.leaky(x.data_ptr(), y.data_ptr(), x.numel(), self.slope)
        return y
