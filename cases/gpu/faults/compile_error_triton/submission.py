import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rmsnorm_kernel(x, weight, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0) * columns
    c = tl.arange(0, BLOCK)
    value = tl.load(x + row + c, mask=c < columns, other=0.0)
    scale = tl.rsqrt(tl.sum(value * value, axis=0) / columns + 1e-6)
    gain = tl.load(weight + tl.arange(0, BLOCK // 2))
    tl.store(y + row + c, value * scale * gain, mask=c < columns)


class ModelNew(nn.Module):
    def __init__(self, columns: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(columns))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        rmsnorm_kernel[(x.shape[0],)](x, self.weight, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
        return y
