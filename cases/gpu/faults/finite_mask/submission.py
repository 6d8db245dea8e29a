import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def scores_kernel(scores, masked, y, size, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(scores + offsets, mask=offsets < size, other=0.0) * 0.125
    hidden = tl.load(masked + offsets, mask=offsets < size, other=0) != 0
    tl.store(y + offsets, tl.where(hidden, -1e30, value), mask=offsets < size)


class ModelNew(nn.Module):
    def forward(self, scores: torch.Tensor, masked: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(scores)
        size = scores.numel()
        scores_kernel[(triton.cdiv(size, 1024),)](scores, masked.view(torch.uint8), y, size, BLOCK=1024)
        return y
