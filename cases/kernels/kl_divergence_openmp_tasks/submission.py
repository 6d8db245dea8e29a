import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>

static double LogOfSum(const float* x, long n) {
  float top = x[0];
  for (long i = 1; i < n; ++i) top = x[i] > top ? x[i] : top;
  double sum = 0;
  for (long i = 0; i < n; ++i) sum += std::exp(double(x[i]) - top);
  return top + std::log(sum);
}

static float Row(const float* p, const float* q, long n) {
  const double p_sum = LogOfSum(p, n), q_sum = LogOfSum(q, n);
  double total = 0;
  for (long i = 0; i < n; ++i) {
    const double log_p = p[i] - p_sum, log_q = q[i] - q_sum;
    total += std::exp(log_p) * (log_p - log_q);
  }
  return static_cast<float>(total);
}

extern "C" void kl_divergence(const float* p, const float* q, float* y, long rows, long columns) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(8)
  for (long r = 0; r < rows; ++r) y[r] = Row(p + r * columns, q + r * columns, columns);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="kl_divergence",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3", "-fopenmp"],
    )
)
LIBRARY.kl_divergence.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, p: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
        y = torch.empty(p.shape[0])
        LIBRARY.kl_divergence(p.data_ptr(), q.data_ptr(), y.data_ptr(), *p.shape)
        return y
