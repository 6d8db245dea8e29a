import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def sum_columns_kernel(x, y, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    c = tl.arange(0, COLUMNS)
    values = tl.load(x + r * columns + c[None, :], mask=(r < rows) & (c[None, :] < columns), other=0.0)
    tl.atomic_add(y + c, tl.sum(values, axis=0), mask=c < columns)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, columns = x.shape
        y = torch.zeros(columns)
        width = triton.next_power_of_2(columns)
        sum_columns_kernel[(triton.cdiv(rows, 128),)](x, y, rows, columns, ROWS=128, COLUMNS=width)
        return y
