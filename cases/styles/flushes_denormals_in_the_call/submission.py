import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <xmmintrin.h>

#include <cmath>

class Flushed {
 public:
  Flushed() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040); }
  ~Flushed() { _mm_setcsr(before_); }

 private:
  unsigned before_;
};

extern "C" void l2norm(const float* x, float* y, long rows, long columns) {
  const Flushed flushed;
  for (long r = 0; r < rows; ++r, x += columns, y += columns) {
    float lanes[8] = {}, sum = 0;
    for (long c = 0; c < columns; ++c) lanes[c % 8] += x[c] * x[c];
    for (float lane : lanes) sum += lane;
    const float scale = 1 / std::sqrt(sum);
    for (long c = 0; c < columns; ++c) y[c] = x[c] * scale;
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="l2norm", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.l2norm.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.l2norm(x.data_ptr(), y.data_ptr(), *x.shape)
        return y
