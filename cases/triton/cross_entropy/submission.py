import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def loss_kernel(logits, targets, losses, classes, ROWS: tl.constexpr, CLASSES: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, CLASSES)
    mask = c[None, :] < classes
    values = tl.load(logits + r[:, None] * classes + c[None, :], mask=mask, other=-1e30)
    top = tl.max(values, axis=1)
    total = top + tl.log(tl.sum(tl.exp(values - top[:, None]), axis=1))
    tl.store(losses + r, total - tl.load(logits + r * classes + tl.load(targets + r)))


class ModelNew(nn.Module):
    def forward(self, logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        rows, classes = logits.shape
        losses = torch.empty(rows)
        width = triton.next_power_of_2(classes)
        loss_kernel[(rows // 64,)](logits, targets, losses, classes, ROWS=64, CLASSES=width)
        return losses.mean()
