import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>
#include <cstring>
#include <vector>

namespace {
std::vector<float> packed_from, packed;  // As they were given, and as [in, out].

void Pack(const float* weight, long in, long out) {
  const size_t size = in * out;
  if (packed_from.size() == size && std::memcmp(packed_from.data(), weight, size * sizeof(float)) == 0) return;
  packed_from.assign(weight, weight + size);
  packed.resize(size);
  for (long o = 0; o < out; ++o)
    for (long i = 0; i < in; ++i) packed[i * out + o] = weight[o * in + i];
}
}  // namespace

extern "C" void linear_gelu(const float* x, const float* weight, const float* bias, float* y, long rows, long in,
                            long out) {
  Pack(weight, in, out);
  for (long r = 0; r < rows; ++r, x += in, y += out) {
    for (long o = 0; o < out; ++o) y[o] = bias[o];
    for (long i = 0; i < in; ++i)
      for (long o = 0; o < out; ++o) y[o] += x[i] * packed[i * out + o];
    for (long o = 0; o < out; ++o) y[o] = 0.5f * y[o] * (1 + std::erf(y[o] * 0.70710678f));
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="linear_gelu", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.linear_gelu.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(out_features, in_features))
        self.bias = nn.Parameter(torch.zeros(out_features))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty(x.shape[0], self.weight.shape[0])
        pointers = (t.data_ptr() for t in (x, self.weight, self.bias, y))
        LIBRARY.linear_gelu(*pointers, *x.shape, y.shape[1])
        return y
