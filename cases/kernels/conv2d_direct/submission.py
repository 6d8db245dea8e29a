import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline
import torch.nn.functional as F

SOURCE = r"""
#include <algorithm>

extern "C" void conv2d(const float* x, const float* weight, const float* bias, float* y, long batch, long in, long out,
                       long size, long kernel) {
  const long padded = size + kernel - 1;
  for (long b = 0; b < batch; ++b)
    for (long o = 0; o < out; ++o) {
      float* image = y + (b * out + o) * size * size;
      std::fill(image, image + size * size, bias[o]);
      for (long i = 0; i < in; ++i)
        for (long t = 0; t < kernel * kernel; ++t) {
          const float tap = weight[(o * in + i) * kernel * kernel + t];
          const float* source = x + (b * in + i) * padded * padded + (t / kernel) * padded + t % kernel;
          for (long r = 0; r < size; ++r)
            for (long c = 0; c < size; ++c) image[r * size + c] += tap * source[r * padded + c];
        }
    }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="conv2d", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.conv2d.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 5


class ModelNew(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, kernel: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(out_channels, in_channels, kernel, kernel))
        self.bias = nn.Parameter(torch.zeros(out_channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, channels, size, _ = x.shape
        out_channels, kernel = self.weight.shape[0], self.weight.shape[-1]
        padded = F.pad(x, [kernel // 2] * 4)
        y = torch.empty(batch, out_channels, size, size)
        LIBRARY.conv2d(
            padded.data_ptr(), self.weight.data_ptr(), self.bias.data_ptr(), y.data_ptr(),
            batch, channels, out_channels, size, kernel,
        )
        return y
