import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rope_kernel(x, cos, sin, y, planes, length, half, PLANES: tl.constexpr, HALF: tl.constexpr):
    position = tl.program_id(0)
    f = tl.arange(0, HALF)[None, :]
    plane = tl.program_id(1) * PLANES + tl.arange(0, PLANES)[:, None]
    inside = (plane < planes) & (f < half)
    left = (plane * length + position) * 2 * half + f
    a = tl.load(x + left, mask=inside)
    b = tl.load(x + left + half, mask=inside)
    c = tl.load(cos + position * half + f, mask=f < half)
    s = tl.load(sin + position * half + f, mask=f < half)
    tl.store(y + left, a * c - b * s, mask=inside)
    tl.store(y + left + half, b * c + a * s, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        batch, heads, length, features = x.shape
        y = torch.empty_like(x)
        grid = (length, triton.cdiv(batch * heads, 32))
        rope_kernel[grid](
            x, cos, sin, y, batch * heads, length, features // 2, PLANES=32, HALF=triton.next_power_of_2(features // 2)
        )
        return y
