import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def matmul_kernel(a, b, c, rows, columns, depth, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, depth, K):
        k = start + tl.arange(0, K)
        left = tl.load(a + i[:, None] * depth + k, mask=(i[:, None] < rows) & (k < depth), other=0.0)
        right = tl.load(b + k[:, None] * columns + j, mask=(k[:, None] < depth) & (j < columns), other=0.0)
        total += tl.dot(left, right, input_precision="tf32x3")
    tl.store(c + i[:, None] * columns + j, total, mask=(i[:, None] < rows) & (j < columns))


def matmul(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    (rows, depth), columns = a.shape, b.shape[1]
    grid = (triton.cdiv(rows, 64), triton.cdiv(columns, 64))
    matmul_kernel[grid](a, b, c, rows, columns, depth, M=64, N=128, K=32)
    return c


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return matmul(a, b, a.new_empty(a.shape[0], b.shape[1]))
