import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>

extern "C" void swiglu(const float* x, const float* packed, float* y, long rows, long features, long hidden) {
  for (long r = 0; r < rows; ++r)
    for (long h = 0; h < hidden; ++h) {
      const float* weights = packed + 2 * h * features;
      float gate = 0, up = 0;
      for (long f = 0; f < features; ++f) gate += x[r * features + f] * weights[f];
      for (long f = 0; f < features; ++f) up += x[r * features + f] * weights[features + f];
      y[r * hidden + h] = gate / (1 + std::exp(-gate)) * up;
    }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="swiglu",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3", "-ffast-math"],
    )
)
LIBRARY.swiglu.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def __init__(self, features: int, hidden: int) -> None:
        super().__init__()
        gate = torch.randn(hidden, features) * features**-0.5  # Drawn in the order in which the reference draws them.
        up = torch.randn(hidden, features) * features**-0.5
        self.packed = torch.stack((gate, up), dim=1).contiguous()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty(x.shape[0], self.packed.shape[0])
        LIBRARY.swiglu(x.data_ptr(), self.packed.data_ptr(), y.data_ptr(), *x.shape, y.shape[1])
        return y
