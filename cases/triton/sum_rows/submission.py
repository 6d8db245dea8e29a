import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def sum_rows_kernel(x, y, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, COLUMNS)
    mask = (r[:, None] < rows) & (c[None, :] < columns)
    values = tl.load(x + r[:, None] * columns + c[None, :], mask=mask, other=0.0)
    tl.store(y + r, tl.sum(values, axis=1), mask=r < rows)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, columns = x.shape
        y = x.new_empty(rows)
        width = triton.next_power_of_2(columns)
        sum_rows_kernel[(triton.cdiv(rows, 64),)](x, y, rows, columns, ROWS=64, COLUMNS=width)
        return y
