import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def affine_kernel(x, y, scale, shift, channels, size, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    value = tl.load(x + row * size + c, mask=c < size)
    channel = row % channels
    tl.store(y + row * size + c, value * tl.load(scale + channel) + tl.load(shift + channel), mask=c < size)


class ModelNew(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n = self.norm
        scale = n.weight * torch.rsqrt(n.running_var + n.eps)
        shift = n.bias - n.running_mean * scale
        y = torch.empty_like(x)
        batch, channels, size = x.shape
        affine_kernel[(batch * channels,)](x, y, scale, shift, channels, size, BLOCK=triton.next_power_of_2(size))
        return y
