import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def topk_kernel(x, y, columns, k, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    left = tl.load(x + row * columns + c, mask=c < columns, other=-float("inf"))
    for place in range(k):
        top, at = tl.max(left, axis=0, return_indices=True)
        tl.store(y + row * k + place, top)
        left = tl.where(c == at, -float("inf"), left)


class ModelNew(nn.Module):
    def __init__(self, k: int) -> None:
        super().__init__()
        self.k = k

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, columns = x.shape
        y = x.new_empty(rows, self.k)
        topk_kernel[(rows,)](x, y, columns, self.k, BLOCK=triton.next_power_of_2(columns), num_warps=4)
        return y
