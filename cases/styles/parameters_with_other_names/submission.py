import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cstdint>

extern "C" void lookup(const std::int64_t* tokens, const float* table, float* y, long count, long features) {
  for (long i = 0; i < count; ++i)
    for (long f = 0; f < features; ++f) y[i * features + f] = table[tokens[i] * features + f];
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="lookup", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.lookup.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def __init__(self, vocabulary: int, features: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(vocabulary, features))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        y = torch.empty(*tokens.shape, self.table.shape[1])
        LIBRARY.lookup(tokens.data_ptr(), self.table.data_ptr(), y.data_ptr(), tokens.numel(), self.table.shape[1])
        return y
