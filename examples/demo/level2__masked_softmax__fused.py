"""Scale, mask and softmax of a row while it is in the cache, with no temporary tensor."""
import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>

extern "C" void masked_softmax(const float* scores, const bool* masked, float* y, long batch, long heads, long queries,
                               long keys, float scale) {
  constexpr float kLowest = -1e30f;
  for (long row = 0; row < batch * heads * queries; ++row, scores += keys, y += keys) {
    const bool* mask = masked + (row / (heads * queries) * queries + row % queries) * keys;
    float top = kLowest, sum = 0;
    for (long k = 0; k < keys; ++k) {
      y[k] = mask[k] ? kLowest : scores[k] * scale;
      top = y[k] > top ? y[k] : top;
    }
    for (long k = 0; k < keys; ++k) sum += y[k] = std::exp(y[k] - top);
    const float share = 1 / sum;
    for (long k = 0; k < keys; ++k) y[k] = mask[k] ? 0 : y[k] * share;
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="masked_softmax",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3", "-march=native", "-ffast-math"],
    )
)
LIBRARY.masked_softmax.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 4 + [ctypes.c_float]


class ModelNew(nn.Module):
    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = scale

    def forward(self, scores: torch.Tensor, masked: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(scores)
        LIBRARY.masked_softmax(scores.data_ptr(), masked.data_ptr(), y.data_ptr(), *scores.shape, self.scale)
        return y
