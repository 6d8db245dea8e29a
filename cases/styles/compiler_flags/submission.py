import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>

#pragma GCC optimize("unroll-loops")

extern "C" void silu(const float* __restrict x, float* __restrict y, long n) {
#pragma GCC ivdep
  for (long i = 0; i < n; ++i) y[i] = x[i] / (1 + std::exp(-x[i]));
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="silu",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-Ofast", "-march=native", "-funroll-loops"],
    )
)
LIBRARY.silu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.silu(x.data_ptr(), y.data_ptr(), x.numel())
        return y
