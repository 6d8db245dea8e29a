import torch
import triton
import triton.language as tl
from torch import nn


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 1024}, num_warps=4),
        triton.Config({"BLOCK": 2048}, num_warps=8),
        triton.Config({"BLOCK": 4096}, num_warps=8),
    ],
    key=["columns"],
    reset_to_zero=["y"],
)
@triton.jit
def sum_kernel(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + c, mask=c < columns, other=0.0)
    tl.atomic_add(y + row, tl.sum(value, axis=0), sem="relaxed")


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, columns = x.shape
        y = x.new_zeros(rows)
        sum_kernel[lambda meta: (rows, triton.cdiv(columns, meta["BLOCK"]))](x, y, columns)
        return y
