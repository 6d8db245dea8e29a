import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>
#include <vector>

namespace {
float Dot(const float* a, const float* b, long n) {
  float sum = 0;
  for (long i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

float Sigmoid(float x) { return 1 / (1 + std::exp(-x)); }
}  // namespace

extern "C" void gru(const float* x, const float* wi, const float* wh, const float* bi, const float* bh, float* y,
                    long batch, long length, long in, long hidden) {
  std::vector<float> zero(hidden, 0.0f);
  for (long b = 0; b < batch; ++b) {
    const float* state = zero.data();
    for (long t = 0; t < length; ++t, x += in, y += hidden) {
      for (long h = 0; h < hidden; ++h) {
        float input[3], carried[3];
        for (long g = 0; g < 3; ++g) {
          const long row = g * hidden + h;
          input[g] = Dot(x, wi + row * in, in) + bi[row];
          carried[g] = Dot(state, wh + row * hidden, hidden) + bh[row];
        }
        const float reset = Sigmoid(input[0] + carried[0]), update = Sigmoid(input[1] + carried[1]);
        const float fresh = std::tanh(input[2] + reset * carried[2]);
        y[h] = (1 - update) * fresh + update * state[h];
      }
      state = y;
    }
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="gru",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3", "-ffast-math"],
    )
)
LIBRARY.gru.argtypes = [ctypes.c_void_p] * 6 + [ctypes.c_long] * 4


class ModelNew(nn.Module):
    def __init__(self, in_features: int, hidden: int) -> None:
        super().__init__()
        self.cell = nn.GRUCell(in_features, hidden)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        cell = self.cell
        y = torch.empty(*x.shape[:2], cell.hidden_size)
        weights = (cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh)
        LIBRARY.gru(x.data_ptr(), *(w.data_ptr() for w in weights), y.data_ptr(), *x.shape, cell.hidden_size)
        return y
