"""Backend `c`: the submission is C source. It is built and called as a submission of backend `cpp` that binds one function would be."""
from kgym_runner.backends import Context, cpp

MODULE = '''\
import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

LIBRARY = ctypes.CDLL(load_inline("kernel", {source!r}, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]))
LIBRARY.kernel.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.kernel(x.data_ptr(), y.data_ptr(), x.numel())
        return y
'''


def install(context: Context) -> None:
    cpp.install(context)


def translate(source: str) -> str:
    """The Python module that stands for the submission. A ValueError becomes the verdict `fail:format`."""
    if "kernel(" not in source:
        raise ValueError("no function kernel; void kernel(const float* x, float* y, long n) is expected")
    return MODULE.format(source='extern "C" {\n#line 1 "submission.c"\n' + source + "\n}")
