import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def sum_columns_kernel(x, y, lock, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    first = tl.program_id(1) * ROWS
    total = tl.zeros((BLOCK,), tl.float32)
    for row in range(first, min(first + ROWS, rows)):
        total += tl.load(x + row * columns + c, mask=c < columns, other=0.0)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    total += tl.load(y + c, mask=c < columns)
    tl.store(y + c, total, mask=c < columns)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, columns = x.shape
        y = x.new_zeros(columns)
        lock = torch.zeros(1, device=x.device, dtype=torch.int32)
        sum_columns_kernel[(triton.cdiv(columns, 512), triton.cdiv(rows, 512))](
            x, y, lock, rows, columns, ROWS=512, BLOCK=512
        )
        return y
