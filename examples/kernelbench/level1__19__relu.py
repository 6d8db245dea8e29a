"""ReLU of 1.6 billion numbers: one read and one write of each, places counted in 64 bits."""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def relu_kernel(x, y, size, BLOCK: tl.constexpr):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + place, mask=place < size)
    # What is not a number stays what it is, as torch has it.
    tl.store(y + place, tl.where(v < 0.0, 0.0, v), mask=place < size)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        y = torch.empty_like(x)
        relu_kernel[(triton.cdiv(x.numel(), 4096),)](x, y, x.numel(), BLOCK=4096, num_warps=8)
        return y
