import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def tiny_kernel(x, y, size, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < size, other=0.0)
    tl.store(y + offsets, tl.exp(value) - 1.0, mask=offsets < size)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        tiny_kernel[(1,)](x, y, x.numel(), BLOCK=256, num_warps=1)
        return y
