import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void relu(const float* x, float* y, long n) {
  for (long i = 0; i < n; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}
"""


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.kernel = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.kernel is None:
            path = load_inline(
                name="relu", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
            )
            self.kernel = ctypes.CDLL(path).relu
            self.kernel.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]
        y = torch.empty_like(x)
        self.kernel(x.data_ptr(), y.data_ptr(), x.numel())
        return y
