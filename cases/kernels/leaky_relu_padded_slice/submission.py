import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void leaky_relu(const float* x, float* y, long rows, long columns, long stride, float slope) {
  for (long r = 0; r < rows; ++r)
    for (long c = 0; c < columns; ++c) {
      const float value = x[r * columns + c];
      y[r * stride + c] = value > 0 ? value : slope * value;
    }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="leaky_relu", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.leaky_relu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 3 + [ctypes.c_float]


class ModelNew(nn.Module):
    def __init__(self, slope: float) -> None:
        super().__init__()
        self.slope = slope

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, columns = x.shape
        stride = (columns + 63) // 64 * 64
        buffer = torch.empty(rows, stride)
        LIBRARY.leaky_relu(x.data_ptr(), buffer.data_ptr(), rows, columns, stride, self.slope)
        return buffer[:, :columns]
