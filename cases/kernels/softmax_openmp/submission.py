import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>

extern "C" void softmax(const float* x, float* y, long rows, long columns) {
#pragma omp parallel for
  for (long r = 0; r < rows; ++r) {
    const float* in = x + r * columns;
    float* out = y + r * columns;
    float top = in[0];
    for (long c = 1; c < columns; ++c) top = in[c] > top ? in[c] : top;
    float sum = 0;
    for (long c = 0; c < columns; ++c) sum += out[c] = std::exp(in[c] - top);
    const float scale = 1 / sum;
    for (long c = 0; c < columns; ++c) out[c] *= scale;
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="softmax",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3", "-fopenmp"],
    )
)
LIBRARY.softmax.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.softmax(x.data_ptr(), y.data_ptr(), *x.shape)
        return y
