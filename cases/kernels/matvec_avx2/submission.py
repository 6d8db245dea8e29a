import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" __attribute__((target_clones("avx2", "default"))) void matvec(const float* a, const float* x, float* y,
                                                                         long rows, long columns) {
  for (long r = 0; r < rows; ++r, a += columns) {
    float parts[16] = {};
    long c = 0;
    for (; c + 16 <= columns; c += 16)
      for (long lane = 0; lane < 16; ++lane) parts[lane] += a[c + lane] * x[c + lane];
    float sum = 0;
    for (float part : parts) sum += part;
    for (; c < columns; ++c) sum += a[c] * x[c];
    y[r] = sum;
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="matvec", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.matvec.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty(a.shape[0])
        LIBRARY.matvec(a.data_ptr(), x.data_ptr(), y.data_ptr(), *a.shape)
        return y
