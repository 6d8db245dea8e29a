import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def matmul_kernel(a, b, ct, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.arange(0, N)
    p = tl.arange(0, K)
    x = tl.load(a + i[:, None] * k + p[None, :], mask=(i[:, None] < m) & (p[None, :] < k), other=0.0)
    y = tl.load(b + p[:, None] * n + j[None, :], mask=(p[:, None] < k) & (j[None, :] < n), other=0.0)
    product = tl.dot(x, y, input_precision="ieee")
    tl.store(ct + j[:, None] * m + i[None, :], tl.trans(product), mask=(j[:, None] < n) & (i[None, :] < m))


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        (m, k), n = a.shape, b.shape[1]
        transposed = a.new_empty(n, m)
        sizes = {"N": max(16, triton.next_power_of_2(n)), "K": max(16, triton.next_power_of_2(k))}
        matmul_kernel[(triton.cdiv(m, 64),)](a, b, transposed, m, n, k, M=64, **sizes)
        return transposed.t()
