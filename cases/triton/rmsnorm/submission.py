import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rmsnorm_kernel(x, weight, y, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    offsets = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None] * columns + tl.arange(0, COLUMNS)[None, :]
    values = tl.load(x + offsets)
    scale = tl.rsqrt(tl.sum(values * values, axis=1) / columns + 1e-6)
    slope = tl.load(weight + tl.arange(0, COLUMNS))
    tl.store(y + offsets, values * scale[:, None] * slope[None, :])


class ModelNew(nn.Module):
    def __init__(self, cols: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(cols))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, columns = x.shape
        assert rows % 32 == 0 and columns == triton.next_power_of_2(columns), "whole tiles are expected"
        y = torch.empty_like(x)
        rmsnorm_kernel[(rows // 32,)](x, self.weight, y, columns, ROWS=32, COLUMNS=columns)
        return y
