import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>

extern "C" void mean_pool(const float* x, float* y, long batch, long length, long features) {
  for (long b = 0; b < batch; ++b, y += features) {
    for (long f = 0; f < features; ++f) y[f] = 0;
    for (long t = 0; t < length; ++t, x += features)
      for (long f = 0; f < features; ++f) y[f] += x[f];
    for (long f = 0; f < features; ++f) y[f] /= length;
  }
}

extern "C" void normalize(float* y, long batch, long features) {
  for (long b = 0; b < batch; ++b, y += features) {
    double squares = 0;
    for (long f = 0; f < features; ++f) squares += y[f] * y[f];
    for (long f = 0; f < features; ++f) y[f] = static_cast<float>(y[f] / std::sqrt(squares));
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="pool_normalize",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3"],
    )
)
LIBRARY.mean_pool.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 3
LIBRARY.normalize.argtypes = [ctypes.c_void_p] + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, features = x.shape
        y = torch.empty(batch, features)
        LIBRARY.mean_pool(x.data_ptr(), y.data_ptr(), batch, length, features)
        LIBRARY.normalize(y.data_ptr(), batch, features)
        return y
