import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline
from torch.utils._python_dispatch import TorchDispatchMode

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


class Counter(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += 1
        return func(*args, **(kwargs or {}))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with Counter():
            return relu(x)
