import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def statistics_kernel(x, statistics, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, COLUMNS)
    mask = (r[:, None] < rows) & (c[None, :] < columns)
    values = tl.load(x + r[:, None] * columns + c[None, :], mask=mask, other=0.0)
    mean = tl.sum(values, axis=1) / columns
    centred = tl.where(mask, values - mean[:, None], 0.0)
    variance = tl.sum(centred * centred, axis=1) / columns
    tl.store(statistics + r, mean, mask=r < rows)
    tl.store(statistics + rows + r, tl.rsqrt(variance + 1e-5), mask=r < rows)


@triton.jit
def normalize_kernel(x, statistics, weight, bias, y, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, COLUMNS)
    mask = (r[:, None] < rows) & (c[None, :] < columns)
    offsets = r[:, None] * columns + c[None, :]
    mean = tl.load(statistics + r, mask=r < rows, other=0.0)[:, None]
    scale = tl.load(statistics + rows + r, mask=r < rows, other=0.0)[:, None]
    slope = tl.load(weight + c, mask=c < columns, other=0.0)[None, :]
    shift = tl.load(bias + c, mask=c < columns, other=0.0)[None, :]
    tl.store(y + offsets, (tl.load(x + offsets, mask=mask) - mean) * scale * slope + shift, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, cols: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(cols))
        self.bias = nn.Parameter(torch.zeros(cols))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, columns = x.shape
        y, statistics = torch.empty_like(x), torch.empty(2, rows)
        grid, width = (triton.cdiv(rows, 64),), triton.next_power_of_2(columns)
        statistics_kernel[grid](x, statistics, rows, columns, ROWS=64, COLUMNS=width)
        normalize_kernel[grid](x, statistics, self.weight, self.bias, y, rows, columns, ROWS=64, COLUMNS=width)
        return y
