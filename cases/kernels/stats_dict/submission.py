import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <algorithm>

extern "C" void stats(const float* x, float* out, long rows, long columns) {
  for (long r = 0; r < rows; ++r, x += columns) {
    float low = x[0], high = x[0];
    double sum = 0;
    for (long c = 0; c < columns; ++c) {
      low = std::min(low, x[c]);
      high = std::max(high, x[c]);
      sum += x[c];
    }
    out[r] = low;
    out[rows + r] = high;
    out[2 * rows + r] = static_cast<float>(sum / columns);
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="stats", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.stats.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        stats = torch.empty(3, x.shape[0])
        LIBRARY.stats(x.data_ptr(), stats.data_ptr(), *x.shape)
        low, high, mean = stats.unbind(0)
        return {"mean": mean, "max": high, "min": low}
