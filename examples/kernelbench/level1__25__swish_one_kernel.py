"""Swish in one kernel: the sigmoid never goes through memory, which is half of what the two operators move."""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def swish_kernel(x, y, size, BLOCK: tl.constexpr):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + place, mask=place < size)
    tl.store(y + place, v * tl.sigmoid(v), mask=place < size)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        y = torch.empty_like(x)
        swish_kernel[(triton.cdiv(x.numel(), 4096),)](x, y, x.numel(), BLOCK=4096, num_warps=8)
        return y
