import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cstdint>
#include <cstring>

static float Wide(std::uint16_t half) {
  const std::uint32_t bits = std::uint32_t{half} << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

static std::uint16_t Narrow(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);  // To the nearest, ties to even.
}

extern "C" void scale(const std::uint16_t* x, const std::uint16_t* factors, std::uint16_t* y, long rows, long columns) {
  for (long r = 0; r < rows; ++r)
    for (long c = 0; c < columns; ++c) y[r * columns + c] = Narrow(Wide(x[r * columns + c]) * Wide(factors[c]));
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="scale",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3"],
    )
)
LIBRARY.scale.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, factors: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.scale(x.data_ptr(), factors.data_ptr(), y.data_ptr(), *x.shape)
        return y
