import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def cumsum_kernel(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    carried = 0.0
    for start in range(0, columns, BLOCK):
        c = start + tl.arange(0, BLOCK)
        value = tl.load(x + row + c, mask=c < columns, other=0.0)
        tl.store(y + row + c, carried + tl.cumsum(value, axis=0), mask=c < columns)
        carried += tl.sum(value, axis=0)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        cumsum_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=2048, num_warps=8)
        return y
