import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def tuned_softmax_kernel(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    highest = tl.full((BLOCK,), -float("inf"), tl.float32)
    for start in tl.range(0, columns, BLOCK, num_stages=1):
        c = tl.max_contiguous(start + tl.arange(0, BLOCK), BLOCK)
        highest = tl.maximum(highest, tl.load(x + row + c, mask=c < columns, other=-float("inf")))
    top = tl.max(highest, axis=0)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in tl.range(0, columns, BLOCK, num_stages=1):
        c = start + tl.arange(0, BLOCK)
        total += tl.exp(tl.load(x + row + c, mask=c < columns, other=-float("inf")) - top)
    scale = 1.0 / tl.sum(total, axis=0)
    for start in tl.range(0, columns, BLOCK, num_stages=1):
        c = start + tl.arange(0, BLOCK)
        value = tl.load(x + row + c, mask=c < columns, other=0.0)
        tl.store(y + row + c, tl.exp(value - top) * scale, mask=c < columns)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        tuned_softmax_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=1024, num_warps=2, num_stages=1)
        return y
