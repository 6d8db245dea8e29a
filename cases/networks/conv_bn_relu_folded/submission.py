import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline
import torch.nn.functional as F

SOURCE = r"""
#include <algorithm>

extern "C" void conv_relu(const float* x, const float* weight, const float* bias, float* y, long batch, long in,
                          long out, long size, long kernel) {
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
      for (long p = 0; p < size * size; ++p) image[p] = std::max(image[p], 0.0f);
    }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="conv_relu", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.conv_relu.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 5


class ModelNew(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, kernel: int) -> None:
        super().__init__()
        self.conv_weight = nn.Parameter(torch.zeros(out_channels, in_channels, kernel, kernel))
        self.weight = nn.Parameter(torch.ones(out_channels))
        self.bias = nn.Parameter(torch.zeros(out_channels))
        self.register_buffer("running_mean", torch.zeros(out_channels))
        self.register_buffer("running_var", torch.ones(out_channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, channels, size, _ = x.shape
        out_channels, kernel = self.conv_weight.shape[0], self.conv_weight.shape[-1]
        scale = self.weight * torch.rsqrt(self.running_var + 1e-5)
        folded = self.conv_weight * scale.view(-1, 1, 1, 1)
        shift = self.bias - self.running_mean * scale
        padded = F.pad(x, [kernel // 2] * 4)
        y = torch.empty(batch, out_channels, size, size)
        LIBRARY.conv_relu(
            padded.data_ptr(), folded.data_ptr(), shift.data_ptr(), y.data_ptr(),
            batch, channels, out_channels, size, kernel,
        )
        return y
