import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def layernorm_kernel(x, weight, bias, y, columns, epsilon, BLOCK: tl.constexpr):
    x += tl.program_id(0).to(tl.int64) * columns
    y += tl.program_id(0).to(tl.int64) * columns
    c = tl.arange(0, BLOCK)
    inside = c < columns
    value = tl.load(x + c, mask=inside, other=0.0)
    mean = tl.sum(value, axis=0) / columns
    centred = tl.where(inside, value - mean, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / columns + epsilon)
    result = centred * scale * tl.load(weight + c, mask=inside) + tl.load(bias + c, mask=inside)
    tl.store(y + c, result, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, columns: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(columns))
        self.bias = nn.Parameter(torch.zeros(columns))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        rows, columns = x.shape
        block = triton.next_power_of_2(columns)
        layernorm_kernel[(rows,)](x, self.weight, self.bias, y, columns, 1e-5, BLOCK=block, num_warps=8)
        return y
