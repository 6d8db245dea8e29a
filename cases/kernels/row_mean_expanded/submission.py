import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void means(const float* x, float* y, long rows, long columns) {
  for (long r = 0; r < rows; ++r, x += columns) {
    double sum = 0;
    for (long c = 0; c < columns; ++c) sum += x[c];
    y[r] = static_cast<float>(sum / columns);
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="means",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3"],
    )
)
LIBRARY.means.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        means = torch.empty(x.shape[0], 1)
        LIBRARY.means(x.data_ptr(), means.data_ptr(), *x.shape)
        return means.expand(x.shape)
