import concurrent.futures
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


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pool = concurrent.futures.ThreadPoolExecutor(2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        half = x.numel() // 2

        def part(first: int, count: int) -> None:
            LIBRARY.relu(x.data_ptr() + 4 * first, y.data_ptr() + 4 * first, count)

        list(self.pool.map(part, (0, half), (half, x.numel() - half)))
        return y
