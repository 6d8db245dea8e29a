import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>
#include <vector>

extern "C" void rmsnorm_linear(const float* x, const float* norm, const float* weight, float* y, long rows, long in,
                               long out) {
  std::vector<float> scaled(in);
  for (long r = 0; r < rows; ++r, x += in, y += out) {
    float squares = 0;
    for (long i = 0; i < in; ++i) squares += x[i] * x[i];
    for (long i = 0; i < in; ++i) scaled[i] = x[i] * norm[i];
    const float scale = 1 / std::sqrt(squares / in + 1e-6f);
    for (long o = 0; o < out; ++o) {
      float sum = 0;
      for (long i = 0; i < in; ++i) sum += scaled[i] * weight[o * in + i];
      y[o] = sum * scale;
    }
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="rmsnorm_linear",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3", "-ffast-math"],
    )
)
LIBRARY.rmsnorm_linear.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.norm_weight = nn.Parameter(torch.ones(in_features))
        self.weight = nn.Parameter(torch.zeros(out_features, in_features))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty(x.shape[0], self.weight.shape[0])
        LIBRARY.rmsnorm_linear(
            x.data_ptr(), self.norm_weight.data_ptr(), self.weight.data_ptr(), y.data_ptr(), *x.shape, y.shape[1]
        )
        return y
