import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void relu(const float* x, float* y, long n) {
  for (long i = 0; i < n; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="relu", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"])
)
LIBRARY.relu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]


def relu(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    LIBRARY.relu(x.data_ptr(), y.data_ptr(), x.numel())
    return y


class Relu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor) -> torch.Tensor:
        y = relu(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, gradient: torch.Tensor) -> torch.Tensor:
        (y,) = ctx.saved_tensors
        return gradient * (y > 0)


class ModelNew(nn.Module):
    @torch.no_grad()
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return Relu.apply(x)
