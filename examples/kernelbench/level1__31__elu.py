"""ELU: one read and one write. Both branches are computed, the exponential of what is not positive only, so that none overflows."""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def elu_kernel(x, y, size, alpha, BLOCK: tl.constexpr):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + place, mask=place < size)
    below = alpha * (tl.exp(tl.minimum(v, 0.0)) - 1.0)
    tl.store(y + place, tl.where(v > 0.0, v, below), mask=place < size)


class ModelNew(nn.Module):
    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = alpha

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        y = torch.empty_like(x)
        grid = (triton.cdiv(x.numel(), 4096),)
        elu_kernel[grid](x, y, x.numel(), self.alpha, BLOCK=4096, num_warps=8)
        return y
