import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def divide_kernel(x, norms, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    norm = tl.load(norms + row)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        value = tl.load(x + row * columns + offsets, mask=offsets < columns)
        tl.store(y + row * columns + offsets, value / norm, mask=offsets < columns)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        norms = torch.linalg.vector_norm(x, dim=1)
        y = torch.empty_like(x)
        divide_kernel[(x.shape[0],)](x, norms, y, x.shape[1], BLOCK=1024)
        return y
