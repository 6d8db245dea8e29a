import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def add_bias_kernel(x, bias, y, rows, columns, stride, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    mask = (r[:, None] < rows) & (c[None, :] < columns)
    offsets = r[:, None] * stride + c[None, :]
    shift = tl.load(bias + c, mask=c < columns, other=0.0)
    tl.store(y + offsets, tl.load(x + offsets, mask=mask) + shift[None, :], mask=mask)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        rows, columns = x.shape
        grid = (triton.cdiv(rows, 128), triton.cdiv(columns, 1024))
        add_bias_kernel[grid](x, b, y, rows, columns, x.stride(0), ROWS=128, COLUMNS=1024)
        return y
