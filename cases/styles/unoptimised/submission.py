import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void matvec(const float* a, const float* x, float* y, long rows, long columns) {
  for (long r = 0; r < rows; ++r) {
    double sum = 0;
    for (long c = 0; c < columns; ++c) sum += static_cast<double>(a[r * columns + c]) * x[c];
    y[r] = static_cast<float>(sum);
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="matvec", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O0"]
    )
)
LIBRARY.matvec.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty(a.shape[0])
        LIBRARY.matvec(a.data_ptr(), x.data_ptr(), y.data_ptr(), *a.shape)
        return y
