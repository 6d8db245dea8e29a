import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def join(mean_a, squares_a, count_a, mean_b, squares_b, count_b):
    count = count_a + count_b
    share = tl.where(count > 0, count_b / tl.maximum(count, 1.0), 0.0)
    delta = mean_b - mean_a
    return mean_a + delta * share, squares_a + squares_b + delta * delta * count_a * share, count


@triton.jit
def moments_kernel(x, mean, variance, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    inside = c < columns
    value = tl.load(x + row.to(tl.int64) * columns + c, mask=inside, other=0.0)
    middle, squares, count = tl.reduce((value, tl.zeros_like(value), inside.to(tl.float32)), 0, join)
    tl.store(mean + row, middle)
    tl.store(variance + row, squares / (count - 1.0))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        rows, columns = x.shape
        mean, variance = x.new_empty(rows), x.new_empty(rows)
        moments_kernel[(rows,)](x, mean, variance, columns, BLOCK=triton.next_power_of_2(columns), num_warps=8)
        return mean, variance
