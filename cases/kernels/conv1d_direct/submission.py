import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <algorithm>

extern "C" void conv1d(const float* x, const float* weight, const float* bias, float* y, long batch, long in, long out,
                       long length, long kernel) {
  const long pad = kernel / 2;
  for (long b = 0; b < batch; ++b)
    for (long o = 0; o < out; ++o) {
      float* row = y + (b * out + o) * length;
      std::fill(row, row + length, bias[o]);
      for (long i = 0; i < in; ++i)
        for (long t = 0; t < kernel; ++t) {
          const float tap = weight[(o * in + i) * kernel + t];
          const float* source = x + (b * in + i) * length + t - pad;
          const long begin = std::max(0L, pad - t), end = std::min(length, length + pad - t);
          for (long j = begin; j < end; ++j) row[j] += tap * source[j];
        }
    }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="conv1d", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.conv1d.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 5


class ModelNew(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, kernel: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(out_channels, in_channels, kernel))
        self.bias = nn.Parameter(torch.zeros(out_channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, channels, length = x.shape
        out_channels, _, kernel = self.weight.shape
        y = torch.empty(batch, out_channels, length)
        LIBRARY.conv1d(
            x.data_ptr(), self.weight.data_ptr(), self.bias.data_ptr(), y.data_ptr(),
            batch, channels, out_channels, length, kernel,
        )
        return y
