import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def softmax_kernel(x, y, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    c = tl.arange(0, COLUMNS)[None, :]
    mask = (r < rows) & (c < columns)
    values = tl.load(x + r * columns + c, mask=mask, other=-1e30)
    values = tl.exp(values - tl.max(values, axis=1)[:, None])
    values = values / tl.sum(values, axis=1)[:, None]
    tl.store(y + r * columns + c, values, mask=mask)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        rows, columns = x.shape
        grid = (triton.cdiv(rows, 32),)
        softmax_kernel[grid](x, y, rows, columns, ROWS=32, COLUMNS=triton.next_power_of_2(columns))
        return y
