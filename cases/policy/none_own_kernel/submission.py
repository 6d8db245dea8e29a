import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <algorithm>
#include <cmath>

extern "C" void softmax(const float* x, float* y, long rows, long columns) {
  for (long r = 0; r < rows; ++r, x += columns, y += columns) {
    const float highest = *std::max_element(x, x + columns);
    float sum = 0;
    for (long c = 0; c < columns; ++c) sum += y[c] = std::exp(x[c] - highest);
    for (long c = 0; c < columns; ++c) y[c] /= sum;
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="softmax", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.softmax.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.softmax(x.data_ptr(), y.data_ptr(), *x.shape)
        return y
