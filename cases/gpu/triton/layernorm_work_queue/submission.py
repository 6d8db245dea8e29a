import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def layernorm_kernel(x, weight, bias, y, counter, rows, columns, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    inside = c < columns
    w = tl.load(weight + c, mask=inside, other=0.0)
    b = tl.load(bias + c, mask=inside, other=0.0)
    row = tl.atomic_add(counter, 1)
    while row < rows:
        value = tl.load(x + row * columns + c, mask=inside, other=0.0)
        apart = tl.where(inside, value - tl.sum(value, axis=0) / columns, 0.0)
        scale = tl.rsqrt(tl.sum(apart * apart, axis=0) / columns + 1e-5)
        tl.store(y + row * columns + c, apart * scale * w + b, mask=inside)
        row = tl.atomic_add(counter, 1)


class ModelNew(nn.Module):
    def __init__(self, cols: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(cols))
        self.bias = nn.Parameter(torch.zeros(cols))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, columns = x.shape
        y, counter = torch.empty_like(x), torch.zeros(1, dtype=torch.int32, device=x.device)
        layernorm_kernel[(264,)](
            x, self.weight, self.bias, y, counter, rows, columns, BLOCK=triton.next_power_of_2(columns), num_warps=8
        )
        return y
