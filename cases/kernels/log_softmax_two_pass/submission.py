import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>

extern "C" void log_softmax(const float* x, float* y, long rows, long columns) {
  for (long r = 0; r < rows; ++r, x += columns, y += columns) {
    float top = x[0], sum = 1;
    for (long c = 1; c < columns; ++c) {
      if (x[c] > top) {
        sum = sum * std::exp(top - x[c]) + 1;
        top = x[c];
      } else {
        sum += std::exp(x[c] - top);
      }
    }
    const float shift = top + std::log(sum);
    for (long c = 0; c < columns; ++c) y[c] = x[c] - shift;
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="log_softmax", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.log_softmax.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.log_softmax(x.data_ptr(), y.data_ptr(), *x.shape)
        return y
