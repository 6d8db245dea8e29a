"""RMS normalization over the channels of images: the 64 values of a pixel lie far apart.

A program takes all channels of a run of neighbouring pixels into registers, so that each number is read once; torch reads
the input for the squares, again for the quotient, and writes and reads the squares between.
"""

import torch
import triton
import triton.language as tl
from torch import nn

PIXELS = 128


@triton.jit
def rmsnorm_kernel(x, y, channels, pixels, eps, CHANNELS: tl.constexpr, PIXELS: tl.constexpr):
    image = tl.program_id(1).to(tl.int64) * channels * pixels
    channel = tl.arange(0, CHANNELS)[:, None].to(tl.int64)
    pixel = tl.program_id(0) * PIXELS + tl.arange(0, PIXELS)[None, :]
    place = image + channel * pixels + pixel
    inside = (channel < channels) & (pixel < pixels)
    v = tl.load(x + place, mask=inside, other=0.0)
    scale = tl.rsqrt(tl.sum(v * v, axis=0) / channels + eps)
    tl.store(y + place, v * scale[None, :], mask=inside)


class ModelNew(nn.Module):
    def __init__(self, num_features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        y = torch.empty_like(x)
        images, channels = x.shape[0], x.shape[1]
        pixels = x[0, 0].numel()
        grid, block = (triton.cdiv(pixels, PIXELS), images), triton.next_power_of_2(channels)
        rmsnorm_kernel[grid](x, y, channels, pixels, self.eps, CHANNELS=block, PIXELS=PIXELS, num_warps=8)
        return y
