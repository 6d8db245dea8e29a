import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>

extern "C" void silu(const float* x, float* y, long n) {
  for (long i = 0; i < n; ++i) y[i] = x[i] / (1.0f + std::exp(-x[i]));
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="silu", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"])
)
LIBRARY.silu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.static_input = self.static_output = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.static_input is None:
            self.static_input, self.static_output = torch.empty_like(x), torch.empty_like(x)
        self.static_input.copy_(x)
        LIBRARY.silu(self.static_input.data_ptr(), self.static_output.data_ptr(), x.numel())
        return self.static_output
