import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def scatter_kernel(y, index, x, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    bins = tl.load(index + r, mask=r < rows, other=0)
    inside = (r[:, None] < rows) & (c[None, :] < columns)
    value = tl.load(x + r[:, None] * columns + c[None, :], mask=inside, other=0.0)
    tl.atomic_add(y + bins[:, None] * columns + c[None, :], value, mask=inside, sem="relaxed")


class ModelNew(nn.Module):
    def forward(self, base: torch.Tensor, index: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        y = base.clone()
        rows, columns = x.shape
        scatter_kernel[(triton.cdiv(rows, 4), triton.cdiv(columns, 256))](y, index, x, rows, columns, ROWS=4, BLOCK=256)
        return y
