import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void masked_scores(const float* x, const bool* masked, float* y, long n) {
  for (long i = 0; i < n; ++i) y[i] = masked[i] ? -1e9f : 0.125f * x[i];
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="masked_scores", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.masked_scores.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, scores: torch.Tensor, masked: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(scores)
        LIBRARY.masked_scores(scores.data_ptr(), masked.data_ptr(), y.data_ptr(), scores.numel())
        return y
