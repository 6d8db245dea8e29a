import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def stats_kernel(x, low, high, mean, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    low_so_far = tl.full((BLOCK,), float("inf"), tl.float32)
    high_so_far = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        value = tl.load(x + row * columns + start + c)
        low_so_far = tl.minimum(low_so_far, value)
        high_so_far = tl.maximum(high_so_far, value)
        total += value
    tl.store(low + row, tl.min(low_so_far, axis=0))
    tl.store(high + row, tl.max(high_so_far, axis=0))
    tl.store(mean + row, tl.sum(total, axis=0) / columns)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        low, high, mean = (x.new_empty(x.shape[0]) for _ in range(3))
        stats_kernel[(x.shape[0],)](x, low, high, mean, x.shape[1], BLOCK=1024)
        return {"min": low, "max": high, "mean": mean.cpu()}
