import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def part_kernel(x, parts, columns, PIECE: tl.constexpr):
    row, part = tl.program_id(0), tl.program_id(1)
    c = part * PIECE + tl.arange(0, PIECE)
    value = tl.load(x + row * columns + c, mask=c < columns, other=0.0)
    tl.store(parts + row * tl.num_programs(1) + part, tl.sum(value, axis=0))


@triton.jit
def join_kernel(parts, y, count, rows, PARTS: tl.constexpr, ROWS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    p = tl.arange(0, PARTS)[None, :]
    value = tl.load(parts + r * count + p, mask=(r < rows) & (p < count), other=0.0)
    tl.store(y + r, tl.sum(value, axis=1)[:, None], mask=r < rows)


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.space = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, columns = x.shape
        count = triton.cdiv(columns, 2048)
        if self.space is None or self.space.numel() != rows * (count + 1):
            self.space = x.new_empty(rows * (count + 1))
        parts, y = self.space[:rows * count], self.space[rows * count:]
        part_kernel[(rows, count)](x, parts, columns, PIECE=2048)
        join_kernel[(triton.cdiv(rows, 64),)](parts, y, count, rows, PARTS=triton.next_power_of_2(count), ROWS=64)
        return y
