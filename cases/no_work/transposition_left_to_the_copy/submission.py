import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cstring>

extern "C" void copy(const float* x, float* y, long n) { std::memcpy(y, x, n * sizeof(float)); }
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="copy", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"])
)
LIBRARY.copy.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.copy(x.data_ptr(), y.data_ptr(), x.numel())
        return y.t()
