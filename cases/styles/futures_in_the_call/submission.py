import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>
#include <future>
#include <vector>

static void Image(const float* x, const float* weight, const float* bias, float* y, long groups, long channels,
                  long plane) {
  const long length = channels / groups * plane;
  for (long g = 0; g < groups; ++g, x += length, y += length) {
    double sum = 0, squares = 0;
    for (long i = 0; i < length; ++i) sum += x[i];
    const double mean = sum / length;
    for (long i = 0; i < length; ++i) squares += (x[i] - mean) * (x[i] - mean);
    const double scale = 1 / std::sqrt(squares / length + 1e-5);
    for (long i = 0; i < length; ++i) {
      const long c = g * (channels / groups) + i / plane;
      y[i] = static_cast<float>((x[i] - mean) * scale * weight[c] + bias[c]);
    }
  }
}

extern "C" void groupnorm(const float* x, const float* weight, const float* bias, float* y, long batch, long groups,
                          long channels, long plane) {
  std::vector<std::future<void>> images;
  for (long b = 0; b < batch; ++b) {
    const long at = b * channels * plane;
    images.push_back(std::async(std::launch::async, Image, x + at, weight, bias, y + at, groups, channels, plane));
  }
  for (std::future<void>& image : images) image.get();
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="groupnorm",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3", "-pthread"],
        extra_ldflags=["-pthread"],
    )
)
LIBRARY.groupnorm.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 4


class ModelNew(nn.Module):
    def __init__(self, groups: int, channels: int) -> None:
        super().__init__()
        self.groups = groups
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        batch, channels, height, width = x.shape
        pointers = [t.data_ptr() for t in (x, self.weight, self.bias, y)]
        LIBRARY.groupnorm(*pointers, batch, self.groups, channels, height * width)
        return y
