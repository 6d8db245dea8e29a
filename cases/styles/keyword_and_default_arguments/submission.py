import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void leaky_relu(const float* x, float* y, long n, float slope) {
  for (long i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : slope * x[i];
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="leaky_relu", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.leaky_relu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long, ctypes.c_float]


class ModelNew(nn.Module):
    def __init__(self, slope: float, *, contiguous: bool = True) -> None:
        super().__init__()
        self.slope, self.contiguous = slope, contiguous

    def forward(self, x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
        x = x.contiguous() if self.contiguous else x
        y = torch.empty_like(x) if out is None else out
        LIBRARY.leaky_relu(x.data_ptr(), y.data_ptr(), x.numel(), self.slope)
        return y
