"""The reference makes four passes and three temporary tensors; this reads each row twice, once from the cache."""
import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>

extern "C" void rmsnorm(const float* x, const float* weight, float* y, long rows, long columns) {
  for (long r = 0; r < rows; ++r, x += columns, y += columns) {
    float squares = 0;
    for (long c = 0; c < columns; ++c) squares += x[c] * x[c];
    const float scale = 1 / std::sqrt(squares / columns + 1e-6f);
    for (long c = 0; c < columns; ++c) y[c] = x[c] * scale * weight[c];
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="rmsnorm",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3", "-march=native", "-ffast-math"],
    )
)
LIBRARY.rmsnorm.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def __init__(self, cols: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(cols))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.rmsnorm(x.data_ptr(), self.weight.data_ptr(), y.data_ptr(), *x.shape)
        return y
