import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def linear_kernel(x, weight, bias, residual, y, rows, features, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    r = tl.program_id(1) * M + tl.arange(0, M)[:, None]
    o = tl.program_id(0) * N + tl.arange(0, N)[None, :]
    p = tl.arange(0, K)
    inside = (r < rows) & (o < features)
    total = tl.load(bias + o, mask=o < features, other=0.0) + tl.load(
        residual + r * features + o, mask=inside, other=0.0
    )
    for start in range(0, features, K):
        q = start + p
        left = tl.load(x + r * features + q[None, :], mask=(r < rows) & (q[None, :] < features), other=0.0)
        right = tl.load(weight + o * features + q[:, None], mask=(o < features) & (q[:, None] < features), other=0.0)
        total = tl.dot(left, right, total, input_precision="ieee")
    tl.store(y + r * features + o, total, mask=inside)


@triton.jit
def normalize_kernel(y, weight, bias, features, BLOCK: tl.constexpr):
    row = y + tl.program_id(0) * features
    c = tl.arange(0, BLOCK)
    value = tl.load(row + c, mask=c < features, other=0.0)
    mean = tl.sum(value, axis=0) / features
    variance = tl.sum(tl.where(c < features, (value - mean) * (value - mean), 0.0), axis=0) / features
    gain = tl.rsqrt(variance + 1e-5) * tl.load(weight + c, mask=c < features)
    tl.store(row + c, (value - mean) * gain + tl.load(bias + c, mask=c < features), mask=c < features)


class ModelNew(nn.Module):
    def __init__(self, features: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(features, features))
        self.bias = nn.Parameter(torch.empty(features))
        self.norm_weight = nn.Parameter(torch.empty(features))
        self.norm_bias = nn.Parameter(torch.empty(features))

    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        rows, features = x.shape
        y = torch.empty_like(x)
        grid = (triton.cdiv(features, 64), triton.cdiv(rows, 64))
        linear_kernel[grid](x, self.weight, self.bias, residual, y, rows, features, M=64, N=64, K=32, num_warps=8)
        block = triton.next_power_of_2(features)
        normalize_kernel[(rows,)](y, self.norm_weight, self.norm_bias, features, BLOCK=block)
        return y
