import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <immintrin.h>

#include <cmath>

namespace {

float SumOfSquares(const float* x, long n) {
  float parts[8] = {};
  long i = 0;
  for (; i + 8 <= n; i += 8)
    for (int lane = 0; lane < 8; ++lane) parts[lane] += x[i + lane] * x[i + lane];
  float sum = 0;
  for (float part : parts) sum += part;
  for (; i < n; ++i) sum += x[i] * x[i];
  return sum;
}

void Scale(const float* x, const float* weight, float scale, float* y, long n) {
  for (long i = 0; i < n; ++i) y[i] = x[i] * scale * weight[i];
}

__attribute__((target("avx2,fma"))) float SumOfSquaresAvx2(const float* x, long n) {
  __m256 sums = _mm256_setzero_ps();
  long i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256 values = _mm256_loadu_ps(x + i);
    sums = _mm256_fmadd_ps(values, values, sums);
  }
  float parts[8], sum = 0;
  _mm256_storeu_ps(parts, sums);
  for (float part : parts) sum += part;
  for (; i < n; ++i) sum += x[i] * x[i];
  return sum;
}

__attribute__((target("avx2,fma"))) void ScaleAvx2(const float* x, const float* weight, float scale, float* y, long n) {
  const __m256 scales = _mm256_set1_ps(scale);
  long i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256 scaled = _mm256_mul_ps(_mm256_loadu_ps(x + i), scales);
    _mm256_storeu_ps(y + i, _mm256_mul_ps(scaled, _mm256_loadu_ps(weight + i)));
  }
  for (; i < n; ++i) y[i] = x[i] * scale * weight[i];
}

}  // namespace

extern "C" void rmsnorm(const float* x, const float* weight, float* y, long rows, long columns) {
  const bool vectors = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  for (long r = 0; r < rows; ++r, x += columns, y += columns) {
    const float squares = vectors ? SumOfSquaresAvx2(x, columns) : SumOfSquares(x, columns);
    const float scale = 1.0f / std::sqrt(squares / columns + 1e-6f);
    vectors ? ScaleAvx2(x, weight, scale, y, columns) : Scale(x, weight, scale, y, columns);
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="rmsnorm", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.rmsnorm.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def __init__(self, cols: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(cols))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.rmsnorm(x.data_ptr(), self.weight.data_ptr(), y.data_ptr(), *x.shape)
        return y
