import importlib.util
import os
import tempfile
from types import ModuleType

import torch
import triton
from torch import nn

TEXT = """
import triton
import triton.language as tl


@triton.jit
def written_kernel(x, y, size, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < size)
    tl.store(y + offsets, tl.where(value > 0, value, 0.0), mask=offsets < size)
"""


def written() -> ModuleType:
    path = os.path.join(tempfile.mkdtemp(), "written.py")
    with open(path, "w") as file:
        file.write(TEXT)
    spec = importlib.util.spec_from_file_location("written", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


KERNEL = written().written_kernel


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        KERNEL[(triton.cdiv(x.numel(), 4096),)](x, y, x.numel(), BLOCK=4096)
        return y
