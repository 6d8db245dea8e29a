import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def epilogue_kernel(y, bias, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    inside = (r < rows) & (c < columns)
    v = tl.load(y + r * columns + c, mask=inside) + tl.load(bias + c, mask=c < columns)
    tl.store(y + r * columns + c, 0.5 * v + 0.5 * v * tl.erf(v * 0.70710678), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_features, in_features))
        self.bias = nn.Parameter(torch.empty(out_features))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x @ self.weight.t()
        rows, columns = y.shape
        epilogue_kernel[(triton.cdiv(rows, 4), triton.cdiv(columns, 512))](
            y, self.bias, rows, columns, ROWS=4, BLOCK=512
        )
        return y
