import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <vector>

extern "C" void sum_columns(const float* x, float* y, long rows, long columns) {
  std::vector<float> part(columns);
  for (long c = 0; c < columns; ++c) y[c] = 0;
  for (long begin = 0; begin < rows; begin += 64) {
    part.assign(columns, 0.0f);
    for (long r = begin; r < rows && r < begin + 64; ++r)
      for (long c = 0; c < columns; ++c) part[c] += x[r * columns + c];
    for (long c = 0; c < columns; ++c) y[c] += part[c];
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="sum_columns", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.sum_columns.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty(x.shape[1])
        LIBRARY.sum_columns(x.data_ptr(), y.data_ptr(), *x.shape)
        return y
