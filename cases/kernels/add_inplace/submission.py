import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void add_inplace(float* x, const float* y, long n) {
  for (long i = 0; i < n; ++i) x[i] += y[i];
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="add_inplace", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.add_inplace.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        LIBRARY.add_inplace(x.data_ptr(), y.data_ptr(), x.numel())
        return x
