import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cstdint>

extern "C" void argmax_rows(const float* x, std::int64_t* y, long rows, long columns) {
  for (long r = 0; r < rows; ++r, x += columns) {
    long best = 0;
    for (long c = 1; c < columns; ++c)
      if (x[c] > x[best]) best = c;
    y[r] = best;
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="argmax_rows", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.argmax_rows.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty(x.shape[0], dtype=torch.int64)
        LIBRARY.argmax_rows(x.data_ptr(), y.data_ptr(), *x.shape)
        return y
