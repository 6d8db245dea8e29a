import importlib.util
import os

import torch
import triton
from torch import nn

TEXT = """
import triton
import triton.language as tl

PART: tl.constexpr = tl.constexpr(%d)


@triton.jit
def scale_kernel(x, s, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    c = PART * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + row + c, mask=c < columns, other=0.0).to(tl.float32)
    gain = tl.load(s + c, mask=c < columns, other=0.0).to(tl.float32)
    tl.store(y + row + c, (value * gain).to(tl.bfloat16), mask=c < columns)
"""
PARTS = 8


def kernel_of(part: int):
    os.makedirs("/tmp/parts", exist_ok=True)
    path = f"/tmp/parts/part{part}.py"
    with open(path, "w") as file:
        file.write(TEXT % part)
    spec = importlib.util.spec_from_file_location("part", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.scale_kernel


KERNELS = [kernel_of(part) for part in range(PARTS)]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        rows, columns = x.shape
        block = triton.next_power_of_2(triton.cdiv(columns, PARTS))
        for kernel in KERNELS:
            kernel[(rows,)](x, s, y, columns, BLOCK=block)
        return y
