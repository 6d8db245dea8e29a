import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def scale_kernel(x, scale, y, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r = tl.program_id(1) * ROWS + tl.arange(0, ROWS)[:, None]
    c = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    inside = (r < rows) & (c < columns)
    factor = tl.load(scale + c, mask=c < columns, other=0.0).to(tl.float32)
    value = tl.load(x + r * columns + c, mask=inside, other=0.0).to(tl.float32)
    tl.store(y + r * columns + c, (value * factor).to(tl.bfloat16), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        rows, columns = x.shape
        scale_kernel[(triton.cdiv(columns, 512), triton.cdiv(rows, 8))](x, scale, y, rows, columns, ROWS=8, COLUMNS=512)
        return y
