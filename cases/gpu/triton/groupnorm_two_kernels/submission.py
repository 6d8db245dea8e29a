import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def statistics_kernel(x, mean, scale, size, BLOCK: tl.constexpr):
    group = tl.program_id(0)
    base = x + group.to(tl.int64) * size
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, size, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.load(base + offsets, mask=offsets < size, other=0.0)
    middle = tl.sum(total, axis=0) / size
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, size, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        apart = tl.load(base + offsets, mask=offsets < size, other=middle) - middle
        squares += apart * apart
    tl.store(mean + group, middle)
    tl.store(scale + group, tl.rsqrt(tl.sum(squares, axis=0) / size + 1e-5))


@triton.jit
def apply_kernel(x, mean, scale, weight, bias, y, channels, group_channels, pixels, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    offsets = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    place = plane.to(tl.int64) * pixels + offsets
    group, channel = plane // group_channels, plane % channels
    gain = tl.load(scale + group) * tl.load(weight + channel)
    shift = tl.load(bias + channel) - tl.load(mean + group) * gain
    tl.store(y + place, tl.load(x + place, mask=offsets < pixels) * gain + shift, mask=offsets < pixels)


class ModelNew(nn.Module):
    def __init__(self, groups: int, channels: int) -> None:
        super().__init__()
        self.groups = groups
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, channels, height, width = x.shape
        inner, pixels = channels // self.groups, height * width
        mean, scale = x.new_empty(batch * self.groups), x.new_empty(batch * self.groups)
        y = torch.empty_like(x)
        statistics_kernel[(batch * self.groups,)](x, mean, scale, inner * pixels, BLOCK=4096, num_warps=8)
        grid = (batch * channels, triton.cdiv(pixels, 2048))
        apply_kernel[grid](x, mean, scale, self.weight, self.bias, y, channels, inner, pixels, BLOCK=2048)
        return y
