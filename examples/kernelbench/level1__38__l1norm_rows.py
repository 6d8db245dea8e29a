"""L1 normalization of long rows: a program sums the sizes of its row, then divides it while it still lies in the cache."""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def l1norm_kernel(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    column = tl.arange(0, BLOCK)
    sums = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        sums += tl.abs(tl.load(x + row + start + column, mask=start + column < columns, other=0.0))
    mean = tl.sum(sums, axis=0) / columns
    for start in range(0, columns, BLOCK):
        inside = start + column < columns
        v = tl.load(x + row + start + column, mask=inside)
        tl.store(y + row + start + column, v / mean, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        y = torch.empty_like(x)
        columns = x.shape[-1]
        l1norm_kernel[(x.numel() // columns,)](x, y, columns, BLOCK=4096, num_warps=8)
        return y
