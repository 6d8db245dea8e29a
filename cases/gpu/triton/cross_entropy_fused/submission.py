import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def loss_kernel(logits, targets, losses, classes, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    start = logits + row.to(tl.int64) * classes
    c = tl.arange(0, BLOCK)
    value = tl.load(start + c, mask=c < classes, other=-float("inf"))
    top = tl.max(value, axis=0)
    log_sum = top + tl.log(tl.sum(tl.exp(value - top), axis=0))
    tl.store(losses + row, log_sum - tl.load(start + tl.load(targets + row)))


@triton.jit
def mean_kernel(losses, y, rows, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, rows, BLOCK):
        r = first + tl.arange(0, BLOCK)
        total += tl.load(losses + r, mask=r < rows, other=0.0)
    tl.store(y, tl.sum(total, axis=0) / rows)


class ModelNew(nn.Module):
    def forward(self, logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        rows, classes = logits.shape
        losses, y = logits.new_empty(rows), logits.new_empty(())
        block = triton.next_power_of_2(classes)
        loss_kernel[(rows,)](logits, targets, losses, classes, BLOCK=block, num_warps=8)
        mean_kernel[(1,)](losses, y, rows, BLOCK=1024)
        return y
