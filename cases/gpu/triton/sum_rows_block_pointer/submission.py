import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def sum_rows_kernel(x, y, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    first = tl.program_id(0) * ROWS
    tile = tl.make_block_ptr(
        x, shape=(rows, columns), strides=(columns, 1), offsets=(first, 0), block_shape=(ROWS, COLUMNS), order=(1, 0)
    )
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for _ in range(0, columns, COLUMNS):
        total += tl.load(tile, boundary_check=(0, 1), padding_option="zero")
        tile = tl.advance(tile, (0, COLUMNS))
    r = first + tl.arange(0, ROWS)
    tl.store(y + r, tl.sum(total, axis=1), mask=r < rows)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, columns = x.shape
        y = x.new_empty(rows)
        sum_rows_kernel[(triton.cdiv(rows, 8),)](x, y, rows, columns, ROWS=8, COLUMNS=256)
        return y
