"""Both halves of a vector turned in one pass; nothing is split or joined."""
import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void rope(const float* x, const float* cosine, const float* sine, float* y, long sequences, long length,
                     long half) {
  for (long s = 0; s < sequences; ++s)
    for (long t = 0; t < length; ++t, x += 2 * half, y += 2 * half)
      for (long f = 0; f < half; ++f) {
        const float c = cosine[t * half + f], d = sine[t * half + f];
        y[f] = x[f] * c - x[half + f] * d;
        y[half + f] = x[half + f] * c + x[f] * d;
      }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="rope", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"])
)
LIBRARY.rope.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        batch, heads, length, features = x.shape
        LIBRARY.rope(
            x.data_ptr(), cos.data_ptr(), sin.data_ptr(), y.data_ptr(), batch * heads, length, features // 2
        )
        return y
