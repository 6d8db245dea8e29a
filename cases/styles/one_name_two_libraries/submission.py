import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void run(const float* x, float* y, long n) {
  for (long i = 0; i < n; ++i) y[i] = FORMULA;
}
"""


def build(formula: str):
    source = SOURCE.replace("FORMULA", formula)
    path = load_inline(
        name="fused_op", cpp_sources=source, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
    library = ctypes.CDLL(path)
    library.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]
    return library.run


negated = build("-x[i]")
relu_of_negated = build("x[i] > 0 ? 0 : -x[i]")


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        between, y = torch.empty_like(x), torch.empty_like(x)
        negated(x.data_ptr(), between.data_ptr(), x.numel())
        relu_of_negated(between.data_ptr(), y.data_ptr(), x.numel())
        return y
