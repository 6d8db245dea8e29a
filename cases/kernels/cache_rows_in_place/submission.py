import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cstring>

extern "C" void put_rows(float* cache, const long* positions, const float* rows, long count, long width) {
  for (long i = 0; i < count; ++i) std::memcpy(cache + positions[i] * width, rows + i * width, sizeof(float) * width);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="put_rows",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3"],
    )
)
LIBRARY.put_rows.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, cache: torch.Tensor, positions: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        LIBRARY.put_rows(cache.data_ptr(), positions.data_ptr(), rows.data_ptr(), *rows.shape)
        return cache
