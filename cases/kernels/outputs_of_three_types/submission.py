import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void largest(const float* x, float* value, long* where, bool* positive, long rows, long columns) {
  for (long r = 0; r < rows; ++r, x += columns) {
    long best = 0;
    for (long c = 1; c < columns; ++c) best = x[c] > x[best] ? c : best;
    value[r] = x[best], where[r] = best, positive[r] = x[best] > 3.5f;
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="largest",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3"],
    )
)
LIBRARY.largest.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        rows = x.shape[0]
        outputs = torch.empty(rows), torch.empty(rows, dtype=torch.int64), torch.empty(rows, dtype=torch.bool)
        LIBRARY.largest(x.data_ptr(), *(t.data_ptr() for t in outputs), *x.shape)
        return outputs[0], {"where": outputs[1], "high": outputs[2]}
