import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def scatter_kernel(y, index, x, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    place = y + tl.load(index + row) * columns + c
    value = tl.load(place, mask=c < columns) + tl.load(x + row * columns + c, mask=c < columns)
    tl.store(place, value, mask=c < columns)


class ModelNew(nn.Module):
    def forward(self, base: torch.Tensor, index: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        y = base.clone()
        # Neighbouring programs meet in a bin if the rows are sorted by bins.
        index, order = torch.sort(index)
        scatter_kernel[(x.shape[0],)](y, index, x[order], x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
        return y
