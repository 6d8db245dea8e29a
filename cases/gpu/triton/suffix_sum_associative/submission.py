import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def plus(left, right):
    return left + right


@triton.jit
def suffix_kernel(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    c = tl.arange(0, BLOCK)
    value = tl.load(x + row + c, mask=c < columns, other=0.0)
    sums = tl.associative_scan(value, 0, plus, reverse=True)
    tl.store(y + row + c - 1, sums, mask=(c > 0) & (c < columns))
    tl.store(y + row + columns - 1, 0.0)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        suffix_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]), num_warps=8)
        return y
