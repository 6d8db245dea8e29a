import ctypes

import numpy
import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <algorithm>

extern "C" void lower(const float* x, float* y, long rows, long columns) {
  for (long r = 0; r < rows; ++r, x += columns, y += columns) {
    const float highest = *std::max_element(x, x + columns);
    for (long c = 0; c < columns; ++c) y[c] = x[c] - highest;
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="lower", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O2"]
    )
)
LIBRARY.lower.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.lower(x.data_ptr(), y.data_ptr(), *x.shape)
        array = y.numpy()
        numpy.exp(array, out=array)
        numpy.divide(array, array.sum(axis=1, keepdims=True), out=array)
        return y
