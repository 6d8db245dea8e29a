import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def stats_kernel(x, low, high, mean, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    inside = c < columns
    value = tl.load(x + row * columns + c, mask=inside, other=0.0)
    tl.store(low + row, tl.min(tl.where(inside, value, float("inf")), axis=0))
    tl.store(high + row, tl.max(tl.where(inside, value, -float("inf")), axis=0))
    tl.store(mean + row, tl.sum(value, axis=0) / columns)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        rows, columns = x.shape
        stats = {name: x.new_empty(rows) for name in ("min", "max", "mean")}
        stats_kernel[(rows,)](x, *stats.values(), columns, BLOCK=triton.next_power_of_2(columns), num_warps=8)
        return stats
