import ctypes

import numpy
import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>

extern "C" void epilogue(float* y, const float* residual, const float* bias, const float* weight, const float* shift,
                         long rows, long columns) {
  for (long r = 0; r < rows; ++r, y += columns, residual += columns) {
    double sum = 0, squares = 0;
    for (long c = 0; c < columns; ++c) sum += y[c] += bias[c] + residual[c];
    const float mean = static_cast<float>(sum / columns);
    for (long c = 0; c < columns; ++c) squares += (y[c] - mean) * (y[c] - mean);
    const float scale = static_cast<float>(1 / std::sqrt(squares / columns + 1e-5));
    for (long c = 0; c < columns; ++c) y[c] = (y[c] - mean) * scale * weight[c] + shift[c];
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="epilogue", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O2"]
    )
)
LIBRARY.epilogue.argtypes = [ctypes.c_void_p] * 5 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def __init__(self, features: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(features, features))
        self.bias = nn.Parameter(torch.zeros(features))
        self.norm_weight = nn.Parameter(torch.ones(features))
        self.norm_bias = nn.Parameter(torch.zeros(features))

    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(residual)
        numpy.matmul(x.numpy(), self.weight.detach().numpy().T, out=y.numpy())
        LIBRARY.epilogue(
            y.data_ptr(), residual.data_ptr(), self.bias.data_ptr(), self.norm_weight.data_ptr(),
            self.norm_bias.data_ptr(), *y.shape,
        )
        return y
