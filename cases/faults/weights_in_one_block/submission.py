import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>

extern "C" void layernorm(const float* x, const float* both, float* y, long rows, long columns) {
  for (long r = 0; r < rows; ++r, x += columns, y += columns) {
    double sum = 0, squares = 0;
    for (long c = 0; c < columns; ++c) sum += x[c];
    const double mean = sum / columns;
    for (long c = 0; c < columns; ++c) squares += (x[c] - mean) * (x[c] - mean);
    const double scale = 1 / std::sqrt(squares / columns + 1e-5);
    for (long c = 0; c < columns; ++c) y[c] = static_cast<float>((x[c] - mean) * scale) * both[c] + both[columns + c];
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="layernorm", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.layernorm.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def __init__(self, cols: int) -> None:
        super().__init__()
        self.both = nn.Parameter(torch.randn(2, cols))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.layernorm(x.data_ptr(), self.both.data_ptr(), y.data_ptr(), *x.shape)
        return y
