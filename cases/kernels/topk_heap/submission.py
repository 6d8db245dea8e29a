import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <algorithm>
#include <cstring>
#include <functional>

extern "C" void topk(const float* x, float* scratch, float* y, long rows, long columns, long k) {
  for (long r = 0; r < rows; ++r) {
    std::memcpy(scratch, x + r * columns, sizeof(float) * columns);
    std::partial_sort(scratch, scratch + k, scratch + columns, std::greater<float>());
    std::memcpy(y + r * k, scratch, sizeof(float) * k);
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="topk",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3"],
    )
)
LIBRARY.topk.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def __init__(self, k: int) -> None:
        super().__init__()
        self.k = k
        self.scratch = torch.empty(0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.scratch.numel() < x.shape[1]:
            self.scratch = torch.empty(x.shape[1])
        y = torch.empty(x.shape[0], self.k)
        LIBRARY.topk(x.data_ptr(), self.scratch.data_ptr(), y.data_ptr(), *x.shape, self.k)
        return y
