import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

TEMPLATE = r"""
extern "C" void NAME(const float* x, float* y, long n) {
  for (long i = 0; i < n; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}
"""


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        path = load_inline(
            name="built_late",
            cpp_sources=TEMPLATE.replace("NAME", "rectify"),
            is_python_module=False,
            no_implicit_headers=True,
            extra_cflags=["-O3"],
        )
        self.rectify = ctypes.CDLL(path).rectify
        self.rectify.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        self.rectify(x.data_ptr(), y.data_ptr(), x.numel())
        return y
