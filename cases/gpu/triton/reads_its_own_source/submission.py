import inspect
import sys

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def silu_kernel(x, y, size, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < size, other=0.0)
    tl.store(y + offsets, value / (1.0 + tl.exp(-value)), mask=offsets < size)


def silu(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    silu_kernel[(triton.cdiv(x.numel(), 2048),)](x, y, x.numel(), BLOCK=2048, num_warps=8)
    return y


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        text = inspect.getsource(type(self)) + inspect.getsource(sys.modules[__name__])
        assert "class ModelNew" in text and "silu_kernel" in text

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return silu(x, torch.empty_like(x))
