import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void relu_inplace(float* x, long n) {
  for (long i = 0; i < n; ++i) x[i] = x[i] < 0 ? 0 : x[i];
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="relu_inplace", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.relu_inplace.argtypes = [ctypes.c_void_p, ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        LIBRARY.relu_inplace(x.data_ptr(), x.numel())
        return x
