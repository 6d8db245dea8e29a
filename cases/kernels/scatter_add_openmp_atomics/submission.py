import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cstring>

extern "C" void scatter_add(const float* base, const long* index, const float* x, float* y, long bins, long rows,
                            long columns) {
  std::memcpy(y, base, sizeof(float) * bins * columns);
#pragma omp parallel for schedule(dynamic, 16) num_threads(4)
  for (long r = 0; r < rows; ++r) {
    float* row = y + index[r] * columns;
    for (long c = 0; c < columns; ++c) {
#pragma omp atomic
      row[c] += x[r * columns + c];
    }
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="scatter_add",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3", "-fopenmp"],
    )
)
LIBRARY.scatter_add.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, base: torch.Tensor, index: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(base)
        LIBRARY.scatter_add(*(t.data_ptr() for t in (base, index, x, y)), base.shape[0], *x.shape)
        return y
