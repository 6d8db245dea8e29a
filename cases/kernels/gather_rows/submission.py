import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cstdint>
#include <cstring>

extern "C" void gather_rows(const float* x, const std::int64_t* index, float* y, long count, long columns) {
  for (long i = 0; i < count; ++i) std::memcpy(y + i * columns, x + index[i] * columns, columns * sizeof(float));
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="gather_rows", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.gather_rows.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        y = torch.empty(index.shape[0], x.shape[1])
        LIBRARY.gather_rows(x.data_ptr(), index.data_ptr(), y.data_ptr(), index.shape[0], x.shape[1])
        return y
