import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def relu_kernel(x, y, size, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + offsets, mask=offsets < size)
    tl.store(y + offsets, tl.maximum(values, 0.0), mask=offsets < size)


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        size = x.numel()
        y = torch.empty_like(x)
        warps, stages = (4, 8, 16)[self.calls % 3], 1 + self.calls % 3
        relu_kernel[(triton.cdiv(size, 65536),)](x, y, size, BLOCK=65536, num_warps=warps, num_stages=stages)
        return y
