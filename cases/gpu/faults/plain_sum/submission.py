import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def sum_kernel(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    tl.store(y + row, tl.sum(tl.load(x + row * columns + c, mask=c < columns, other=0.0), axis=0))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.new_empty(x.shape[0])
        sum_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
        return y
