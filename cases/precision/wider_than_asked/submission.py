import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cstdint>
#include <cstring>

namespace {
float Widened(std::uint16_t half) {
  const std::uint32_t bits = static_cast<std::uint32_t>(half) << 16;
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}

std::uint16_t Rounded(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
}  // namespace

extern "C" void scale(const std::uint16_t* x, const std::uint16_t* scales, std::uint16_t* y, long rows, long columns) {
  for (long r = 0; r < rows; ++r, x += columns, y += columns)
    for (long c = 0; c < columns; ++c) y[c] = Rounded(Widened(x[c]) * Widened(scales[c]));
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="scale", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.scale.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.scale(x.data_ptr(), scale.data_ptr(), y.data_ptr(), *x.shape)
        return y
