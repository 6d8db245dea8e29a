import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def layernorm_kernel(x, weight, bias, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0) * columns
    c = tl.arange(0, BLOCK)
    inside = c < columns
    value = tl.load(x + row + c, mask=inside, other=0.0)
    apart = tl.where(inside, value - tl.sum(value, axis=0) / columns, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(apart * apart, axis=0) / columns + 1e-5)
    gain, shift = tl.load(weight + c, mask=inside), tl.load(bias + c, mask=inside)
    tl.store(y + row + c, apart * scale * gain + shift, mask=inside)


def layernorm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    rows, columns = x.shape
    layernorm_kernel[(rows,)](x, weight, bias, y, columns, BLOCK=triton.next_power_of_2(columns), num_warps=8)
    return y


class Affine(nn.Module):
    def __init__(self, columns: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(columns))
        self.shift = nn.Parameter(torch.zeros(columns))


class ModelNew(nn.Module):
    def __init__(self, columns: int) -> None:
        super().__init__()
        self.affine = Affine(columns)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return layernorm(x, self.affine.gain, self.affine.shift)
