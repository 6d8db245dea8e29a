import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def add_bias_kernel(x, bias, y, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < columns
    shift = tl.load(bias + offsets, mask=inside)
    first = tl.program_id(1) * ROWS
    for row in range(first, min(first + ROWS, rows)):
        place = row * columns + offsets
        tl.store(y + place, tl.load(x + place, mask=inside) + shift, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        rows, columns = x.shape
        grid = (triton.cdiv(columns, 1024), triton.cdiv(rows, 16))
        add_bias_kernel[grid](x, b, y, rows, columns, ROWS=16, BLOCK=1024)
        return y
