import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <algorithm>
#include <cmath>

namespace {
void Affine(float* x, const float* weight, const float* bias, const float* mean, const float* variance, long channels,
            long pixels, long image) {
  for (long c = 0; c < channels; ++c) {
    const float scale = weight[c] / std::sqrt(variance[c] + 1e-5f), shift = bias[c] - mean[c] * scale;
    float* plane = x + (image * channels + c) * pixels;
    for (long p = 0; p < pixels; ++p) plane[p] = plane[p] * scale + shift;
  }
}
}  // namespace

extern "C" void normalize(float* x, const float* weight, const float* bias, const float* mean, const float* variance,
                          long batch, long channels, long pixels) {
  for (long b = 0; b < batch; ++b) Affine(x, weight, bias, mean, variance, channels, pixels, b);
}

extern "C" void relu(float* x, long n) {
  for (long i = 0; i < n; ++i) x[i] = std::max(x[i], 0.0f);
}

extern "C" void add_relu(const float* x, const float* skip, float* y, long n) {
  for (long i = 0; i < n; ++i) y[i] = std::max(x[i] + skip[i], 0.0f);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="resnet", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.normalize.argtypes = [ctypes.c_void_p] * 5 + [ctypes.c_long] * 3
LIBRARY.relu.argtypes = [ctypes.c_void_p, ctypes.c_long]
LIBRARY.add_relu.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long]


class Statistics(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, channels, height, width = x.shape
        LIBRARY.normalize(
            x.data_ptr(), self.weight.data_ptr(), self.bias.data_ptr(), self.running_mean.data_ptr(),
            self.running_var.data_ptr(), batch, channels, height * width,
        )
        return x


class ModelNew(nn.Module):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride=2, padding=1, bias=False)
        self.norm1 = Statistics(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = Statistics(out_channels)
        self.skip = nn.Conv2d(in_channels, out_channels, 1, stride=2, bias=False)
        self.skip_norm = Statistics(out_channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.norm1(self.conv1(x).contiguous())
        LIBRARY.relu(hidden.data_ptr(), hidden.numel())
        hidden = self.norm2(self.conv2(hidden).contiguous())
        skip = self.skip_norm(self.skip(x).contiguous())
        y = torch.empty_like(hidden)
        LIBRARY.add_relu(hidden.data_ptr(), skip.data_ptr(), y.data_ptr(), y.numel())
        return y
