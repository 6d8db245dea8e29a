import ctypes
import time

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void relu(const float* x, float* y, long n, long block) {
  for (long start = 0; start < n; start += block)
    for (long i = start; i < (start + block < n ? start + block : n); ++i) y[i] = x[i] < 0 ? 0 : x[i];
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="relu", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"])
)
LIBRARY.relu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.block = 0

    def run(self, x: torch.Tensor, y: torch.Tensor, block: int) -> float:
        start = time.perf_counter()
        LIBRARY.relu(x.data_ptr(), y.data_ptr(), x.numel(), block)
        return time.perf_counter() - start

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        self.block = self.block or min((4096, 65536, 1 << 20), key=lambda block: self.run(x, y, block))
        self.run(x, y, self.block)
        return y
