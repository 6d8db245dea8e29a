import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>

extern "C" void swiglu(const float* x, const float* gate, const float* up, float* y, long rows, long features,
                       long hidden) {
  for (long h = 0; h < hidden; ++h)
    for (long r = 0; r < rows; ++r) {
      float a = 0, b = 0;
      for (long f = 0; f < features; ++f) {
        a += x[r * features + f] * gate[h * features + f];
        b += x[r * features + f] * up[h * features + f];
      }
      y[r * hidden + h] = a / (1 + std::exp(-a)) * b;
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
LIBRARY.swiglu.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def __init__(self, features: int, hidden: int) -> None:
        super().__init__()
        self.gate = nn.Parameter(torch.zeros(hidden, features))
        self.up = nn.Parameter(torch.zeros(hidden, features))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty(x.shape[0], self.gate.shape[0])
        LIBRARY.swiglu(x.data_ptr(), self.gate.data_ptr(), self.up.data_ptr(), y.data_ptr(), *x.shape, y.shape[1])
        return y
