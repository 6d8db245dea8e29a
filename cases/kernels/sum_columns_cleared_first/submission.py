import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void sum_columns(const float* x, float* y, long rows, long columns) {
  for (long r = 0; r < rows; ++r, x += columns)
    for (long c = 0; c < columns; ++c) y[c] += x[c];
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
        y = torch.empty(x.shape[1]).zero_()
        LIBRARY.sum_columns(x.data_ptr(), y.data_ptr(), *x.shape)
        return y
