import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def part_kernel(x, tops, sums, columns, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    row, part = tl.program_id(0), tl.program_id(1)
    width = tl.cdiv(columns, PARTS)
    c = part * width + tl.arange(0, BLOCK)
    inside = (tl.arange(0, BLOCK) < width) & (c < columns)
    value = tl.load(x + row.to(tl.int64) * columns + c, mask=inside, other=-float("inf"))
    top = tl.max(value, axis=0)
    tl.store(tops + row * PARTS + part, top)
    tl.store(sums + row * PARTS + part, tl.sum(tl.exp(value - top), axis=0))


@triton.jit
def join_kernel(tops, sums, y, rows, PARTS: tl.constexpr, ROWS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    place = r[:, None] * PARTS + tl.arange(0, PARTS)[None, :]
    top = tl.load(tops + place, mask=r[:, None] < rows, other=0.0)
    part = tl.load(sums + place, mask=r[:, None] < rows, other=1.0)
    highest = tl.max(top, axis=1)
    total = tl.sum(part * tl.exp(top - highest[:, None]), axis=1)
    tl.store(y + r, highest + tl.log(total), mask=r < rows)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, columns = x.shape
        tops, sums = x.new_empty(rows, 4), x.new_empty(rows, 4)
        y = x.new_empty(rows)
        block = triton.next_power_of_2(triton.cdiv(columns, 4))
        part_kernel[(rows, 4)](x, tops, sums, columns, PARTS=4, BLOCK=block)
        join_kernel[(triton.cdiv(rows, 128),)](tops, sums, y, rows, PARTS=4, ROWS=128)
        return y
