import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>

extern "C" void huber(const float* x, const float* y, float* out, long n, double delta) {
  double sum = 0;
#pragma omp parallel for schedule(dynamic, 4096) reduction(+ : sum)
  for (long i = 0; i < n; ++i) {
    const double apart = std::fabs(double(x[i]) - y[i]);
    sum += apart < delta ? 0.5 * apart * apart : delta * (apart - 0.5 * delta);
  }
  *out = static_cast<float>(sum / n);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="huber",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3", "-fopenmp"],
        extra_ldflags=["-fopenmp"],
    )
)
LIBRARY.huber.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long, ctypes.c_double]


class ModelNew(nn.Module):
    def __init__(self, delta: float) -> None:
        super().__init__()
        self.delta = delta

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        loss = torch.empty(())
        LIBRARY.huber(x.data_ptr(), y.data_ptr(), loss.data_ptr(), x.numel(), self.delta)
        return loss
