"""Wrong: the bias is forgotten."""
import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>

extern "C" void layernorm(const float* x, const float* weight, float* y, long rows, long columns) {
  for (long r = 0; r < rows; ++r, x += columns, y += columns) {
    float sum = 0, squares = 0;
    for (long c = 0; c < columns; ++c) sum += x[c];
    const float mean = sum / columns;
    for (long c = 0; c < columns; ++c) squares += (x[c] - mean) * (x[c] - mean);
    const float scale = 1 / std::sqrt(squares / columns + 1e-5f);
    for (long c = 0; c < columns; ++c) y[c] = (x[c] - mean) * scale * weight[c];
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="layernorm",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3", "-march=native", "-ffast-math"],
    )
)
LIBRARY.layernorm.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def __init__(self, cols: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(cols))
        self.bias = nn.Parameter(torch.zeros(cols))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.layernorm(x.data_ptr(), self.weight.data_ptr(), y.data_ptr(), *x.shape)
        return y
