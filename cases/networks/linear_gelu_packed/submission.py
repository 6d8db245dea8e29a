import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>

extern "C" void linear_gelu(const float* x, const float* packed, const float* bias, float* y, long rows, long in,
                            long out) {
  for (long r = 0; r < rows; ++r, x += in, y += out) {
    for (long o = 0; o < out; ++o) y[o] = bias[o];
    for (long i = 0; i < in; ++i)
      for (long o = 0; o < out; ++o) y[o] += x[i] * packed[i * out + o];
    for (long o = 0; o < out; ++o) y[o] = 0.5f * y[o] * (1 + std::erf(y[o] * 0.70710678f));
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="linear_gelu", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.linear_gelu.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(out_features, in_features))
        self.bias = nn.Parameter(torch.zeros(out_features))
        self.packed_version = None

    def packed_weight(self) -> torch.Tensor:
        """The weight as [in, out], so that the innermost loop runs along memory."""
        if self.packed_version != self.weight._version:
            self.packed = self.weight.detach().t().contiguous()
            self.packed_version = self.weight._version
        return self.packed

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        packed = self.packed_weight()
        y = torch.empty(x.shape[0], packed.shape[1])
        LIBRARY.linear_gelu(x.data_ptr(), packed.data_ptr(), self.bias.data_ptr(), y.data_ptr(), *x.shape, y.shape[1])
        return y
