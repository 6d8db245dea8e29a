import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def greater_kernel(x, y, z, size, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < size
    tl.store(z + offsets, tl.load(x + offsets, mask=mask) > tl.load(y + offsets, mask=mask), mask=mask)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        z = torch.empty(x.shape, dtype=torch.bool)
        greater_kernel[(triton.cdiv(x.numel(), 65536),)](x, y, z, x.numel(), BLOCK=65536)
        return z
