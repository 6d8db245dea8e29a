import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void max_rows(const float* x, float* y, long rows, long columns) {
  for (long r = 0; r < rows; ++r, x += columns) {
    float lanes[8];
    for (long l = 0; l < 8; ++l) lanes[l] = x[l < columns ? l : 0];
    long c = 0;
    if (columns % 8 == 0)
      for (; c < columns; c += 8)
        for (long l = 0; l < 8; ++l) lanes[l] = x[c + l] > lanes[l] ? x[c + l] : lanes[l];
    for (; c < columns; ++c) lanes[0] = x[c] > lanes[0] ? x[c] : lanes[0];
    float top = lanes[0];
    for (float lane : lanes) top = lane > top ? lane : top;
    y[r] = top;
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="max_rows", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.max_rows.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty(x.shape[0])
        LIBRARY.max_rows(x.data_ptr(), y.data_ptr(), *x.shape)
        return y
