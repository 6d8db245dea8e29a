import torch
import triton
import triton.language as tl
from torch import nn

KEPT = []


@triton.jit
def gelu_kernel(x, y, size, BLOCK: tl.constexpr):
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + c, mask=c < size)
    tl.store(y + c, 0.5 * value * (1 + tl.erf(value * 0.70710678118)), mask=c < size)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        KEPT.append(torch.empty(1 << 32, device=x.device))
        y = KEPT[-1][: x.numel()].view_as(x)
        gelu_kernel[(triton.cdiv(x.numel(), 2048),)](x, y, x.numel(), BLOCK=2048)
        return y
