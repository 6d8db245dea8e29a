"""Mean cross entropy of rows of logits: each row is read once, and no matrix of log-probabilities is written.

Rows' losses are summed by a second kernel in a fixed order, so the result is the same bits every time.
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def row_kernel(logits, targets, losses, classes, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    value = tl.load(logits + row * classes + c, mask=c < classes, other=-float("inf"))
    highest = tl.max(value, axis=0)
    total = tl.sum(tl.exp(value - highest), axis=0)
    aimed = tl.load(logits + row * classes + tl.load(targets + row))
    tl.store(losses + row, highest + tl.log(total) - aimed)


@triton.jit
def mean_kernel(losses, mean, rows, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, rows, BLOCK):
        r = start + tl.arange(0, BLOCK)
        total += tl.load(losses + r, mask=r < rows, other=0.0)
    tl.store(mean, tl.sum(total, axis=0) / rows)


class ModelNew(nn.Module):
    def forward(self, predictions: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        logits = predictions.contiguous()
        rows, classes = logits.shape
        losses, mean = logits.new_empty(rows), logits.new_empty(())
        row_kernel[(rows,)](logits, targets, losses, classes, BLOCK=triton.next_power_of_2(classes), num_warps=4)
        mean_kernel[(1,)](losses, mean, rows, BLOCK=2048, num_warps=8)
        return mean
