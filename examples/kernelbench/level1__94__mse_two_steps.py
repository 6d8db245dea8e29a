"""Mean squared error of two tables of a billion numbers each: read once, nothing of their size is written.

Sums are taken in a fixed order, so the same inputs give the same bits: each program adds up a stretch lane by lane and
leaves one number, and a last program adds those.
"""

import torch
import triton
import triton.language as tl
from torch import nn

BLOCK, STEPS = 4096, 16


@triton.jit
def partial_kernel(a, b, sums, size, BLOCK: tl.constexpr, STEPS: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * (BLOCK * STEPS)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for step in range(STEPS):
        place = start + step * BLOCK + tl.arange(0, BLOCK)
        apart = tl.load(a + place, mask=place < size, other=0.0) - tl.load(b + place, mask=place < size, other=0.0)
        total += apart * apart
    tl.store(sums + tl.program_id(0), tl.sum(total, axis=0))


@triton.jit
def mean_kernel(sums, mean, count, size, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, count, BLOCK):
        place = start + tl.arange(0, BLOCK)
        total += tl.load(sums + place, mask=place < count, other=0.0)
    tl.store(mean, tl.sum(total, axis=0) / size)


class ModelNew(nn.Module):
    def forward(self, predictions: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        predictions, targets = predictions.contiguous(), targets.contiguous()
        size = predictions.numel()
        count = triton.cdiv(size, BLOCK * STEPS)
        sums, mean = predictions.new_empty(count), predictions.new_empty(())
        partial_kernel[(count,)](predictions, targets, sums, size, BLOCK=BLOCK, STEPS=STEPS, num_warps=8)
        mean_kernel[(1,)](sums, mean, count, size, BLOCK=1024, num_warps=4)
        return mean
