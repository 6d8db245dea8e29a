import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def leaky_kernel(x, y, slope, columns, TILE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    for tile in range(0, columns // TILE):
        c = tile * TILE + tl.arange(0, TILE)
        value = tl.load(x + row + c)
        tl.store(y + row + c, tl.where(value < 0, value * slope, value))


class ModelNew(nn.Module):
    def __init__(self, slope: float) -> None:
        super().__init__()
        self.slope = slope

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        leaky_kernel[(x.shape[0],)](x, y, self.slope, x.shape[1], TILE=1024)
        return y
