import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def l2norm_kernel(x, y, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    squares = tl.zeros((ROWS, COLUMNS), tl.float32)
    for start in range(0, columns, COLUMNS):
        c = start + tl.arange(0, COLUMNS)[None, :]
        value = tl.load(x + r * columns + c, mask=(r < rows) & (c < columns), other=0.0)
        squares += value * value
    length = tl.sqrt(tl.sum(squares, axis=1))[:, None]
    for start in range(0, columns, COLUMNS):
        c = start + tl.arange(0, COLUMNS)[None, :]
        inside = (r < rows) & (c < columns)
        value = tl.load(x + r * columns + c, mask=inside)
        tl.store(y + r * columns + c, value / length, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        rows, columns = x.shape
        l2norm_kernel[(triton.cdiv(rows, 4),)](x, y, rows, columns, ROWS=4, COLUMNS=512)
        return y
