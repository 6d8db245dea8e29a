import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def silu_kernel(x, scratch, y, size, BLOCK: tl.constexpr):
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + c, mask=c < size)
    tl.store(scratch + c, tl.sigmoid(value), mask=c < size)
    tl.store(y + c, value * tl.load(scratch + c, mask=c < size), mask=c < size)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scratch = torch.empty(1 << 36, device=x.device)
        y = torch.empty_like(x)
        silu_kernel[(triton.cdiv(x.numel(), 1024),)](x, scratch, y, x.numel(), BLOCK=1024)
        return y
