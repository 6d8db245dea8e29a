import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def l2norm_kernel(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0) * columns
    c = tl.arange(0, BLOCK)
    value = tl.load(x + row + c, mask=c < columns, other=0.0)
    tl.store(x + row + c, value * value, mask=c < columns)
    tl.store(y + row + c, value / tl.sqrt(tl.sum(value * value, axis=0)), mask=c < columns)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        l2norm_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]), num_warps=8)
        return y
