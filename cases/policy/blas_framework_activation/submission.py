import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void linear(const float* x, const float* weight, const float* bias, float* y, long rows, long depth,
                       long columns) {
  for (long r = 0; r < rows; ++r)
    for (long c = 0; c < columns; ++c) {
      float sum = 0;
      for (long p = 0; p < depth; ++p) sum += x[r * depth + p] * weight[c * depth + p];
      y[r * columns + c] = sum + bias[c];
    }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="linear", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True,
        extra_cflags=["-O3", "-ffast-math"],
    )
)
LIBRARY.linear.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(out_features, in_features))
        self.bias = nn.Parameter(torch.zeros(out_features))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, depth = x.shape
        y = torch.empty(rows, self.bias.numel())
        LIBRARY.linear(
            x.data_ptr(), self.weight.data_ptr(), self.bias.data_ptr(), y.data_ptr(), rows, depth, y.shape[1]
        )
        return torch.nn.functional.gelu(y)
