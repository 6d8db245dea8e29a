import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <algorithm>
#include <cmath>

extern "C" void logsumexp(const float* x, float* y, long rows, long columns) {
  for (long r = 0; r < rows; ++r, x += columns) {
    float top = -INFINITY, sum = 0;
    for (long begin = 0; begin < columns; begin += 256) {
      const long end = std::min(columns, begin + 256);
      const float tile_top = *std::max_element(x + begin, x + end);
      float tile_sum = 0;
      for (long c = begin; c < end; ++c) tile_sum += std::exp(x[c] - tile_top);
      const float joint = std::max(top, tile_top);
      sum = sum * std::exp(top - joint) + tile_sum * std::exp(tile_top - joint);
      top = joint;
    }
    y[r] = top + std::log(sum);
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="logsumexp", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.logsumexp.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty(x.shape[0])
        LIBRARY.logsumexp(x.data_ptr(), y.data_ptr(), *x.shape)
        return y
