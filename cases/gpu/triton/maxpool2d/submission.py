import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def maxpool_kernel(x, y, size, height, width, out_height, out_width, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    plane, row, column = o // (out_height * out_width), o // out_width % out_height, o % out_width
    best = tl.full((BLOCK,), -float("inf"), tl.float32)
    for i in tl.static_range(3):
        for j in tl.static_range(3):
            r, c = 2 * row + i - 1, 2 * column + j - 1
            inside = (o < size) & (r >= 0) & (r < height) & (c >= 0) & (c < width)
            best = tl.maximum(best, tl.load(x + (plane * height + r) * width + c, mask=inside, other=-float("inf")))
    tl.store(y + o, best, mask=o < size)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, channels, height, width = x.shape
        y = x.new_empty(batch, channels, (height - 1) // 2 + 1, (width - 1) // 2 + 1)
        maxpool_kernel[(triton.cdiv(y.numel(), 1024),)](
            x, y, y.numel(), height, width, y.shape[2], y.shape[3], BLOCK=1024
        )
        return y
