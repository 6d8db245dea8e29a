import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <algorithm>

extern "C" void transpose(const float* x, float* y, long rows, long columns) {
  for (long r0 = 0; r0 < rows; r0 += 16)
    for (long c0 = 0; c0 < columns; c0 += 16)
      for (long r = r0; r < std::min(rows, r0 + 16); ++r)
        for (long c = c0; c < std::min(columns, c0 + 16); ++c) y[c * rows + r] = x[r * columns + c];
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="transpose", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.transpose.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty(x.shape[1], x.shape[0])
        LIBRARY.transpose(x.data_ptr(), y.data_ptr(), *x.shape)
        return y
