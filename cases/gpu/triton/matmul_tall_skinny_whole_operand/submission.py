import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def tall_kernel(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    j = tl.arange(0, N)[None, :]
    p = tl.arange(0, K)
    small = tl.load(b + p[:, None] * n + j, mask=(p[:, None] < k) & (j < n), other=0.0)
    i = tl.program_id(0) * M + tl.arange(0, M)[:, None]
    tall = tl.load(a + i * k + p[None, :], mask=(i < m) & (p[None, :] < k), other=0.0)
    tl.store(c + i * n + j, tl.dot(tall, small, input_precision="ieee"), mask=(i < m) & (j < n))


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        (m, k), n = a.shape, b.shape[1]
        c = torch.empty((m, n), device=a.device)
        widths = {"N": triton.next_power_of_2(n), "K": triton.next_power_of_2(k)}
        tall_kernel[(triton.cdiv(m, 64),)](a, b, c, m, n, k, M=64, **widths, num_warps=8)
        return c
