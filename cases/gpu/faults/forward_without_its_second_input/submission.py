import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def add_kernel(x, b, y, size, columns, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < size
    value = tl.load(x + offsets, mask=inside) + tl.load(b + offsets % columns, mask=inside)
    tl.store(y + offsets, value, mask=inside)


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bias = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        bias = torch.zeros(x.shape[1], device=x.device) if self.bias is None else self.bias
        y = torch.empty_like(x)
        add_kernel[(triton.cdiv(x.numel(), 1024),)](x, bias, y, x.numel(), x.shape[1], BLOCK=1024)
        return y
