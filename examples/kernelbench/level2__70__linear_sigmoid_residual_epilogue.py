"""Linear layer whose sigmoid, scaled, is added to its own result: all of it in the product's epilogue.

The product is taken as weight @ x_t, since a tile of the weight's transpose would be read across shared memory's banks;
transposing x costs a hundredth of the product.
"""

import torch
import triton
import triton.language as tl
from torch import nn

TILES = [
    triton.Config({"N": 64, "M": 128, "K": 16}, num_warps=4, num_stages=3),
    triton.Config({"N": 128, "M": 128, "K": 16}, num_warps=8, num_stages=3),
]


@triton.jit
def transpose_kernel(x, x_t, rows, columns, BLOCK: tl.constexpr):
    r = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)).to(tl.int64)[:, None]
    c = (tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)).to(tl.int64)[None, :]
    inside = (r < rows) & (c < columns)
    tl.store(x_t + c * rows + r, tl.load(x + r * columns + c, mask=inside), mask=inside)


@triton.jit
def product(weight, x_t, n, m, rows, inputs, outputs, N: tl.constexpr, M: tl.constexpr, K: tl.constexpr):
    """weight[n, :] @ x_t[:, m] as a tile [N, M]; both operands are read along their rows."""
    p = tl.arange(0, K)
    left = weight + n.to(tl.int64)[:, None] * inputs + p[None, :]
    right = x_t + p.to(tl.int64)[:, None] * rows + m[None, :]
    total = tl.zeros((N, M), tl.float32)
    for start in range(0, inputs, K):
        w = tl.load(left, mask=(n[:, None] < outputs) & (start + p[None, :] < inputs), other=0.0)
        v = tl.load(right, mask=(start + p[:, None] < inputs) & (m[None, :] < rows), other=0.0)
        total = tl.dot(w, v, total, input_precision="ieee")
        left += K
        right += K * rows
    return total


@triton.autotune(configs=TILES, key=["rows", "inputs", "outputs"])
@triton.jit
def linear_kernel(
    weight, x_t, bias, y, rows, inputs, outputs, scale, N: tl.constexpr, M: tl.constexpr, K: tl.constexpr
):
    m = (tl.program_id(0) % tl.cdiv(rows, M)) * M + tl.arange(0, M)  # Neighbours share a piece of the weight.
    n = (tl.program_id(0) // tl.cdiv(rows, M)) * N + tl.arange(0, N)
    total = product(weight, x_t, n, m, rows, inputs, outputs, N, M, K)
    total += tl.load(bias + n, mask=n < outputs, other=0.0)[:, None]
    total += tl.sigmoid(total) * scale
    place = y + m.to(tl.int64)[None, :] * outputs + n[:, None]
    tl.store(place, total, mask=(n[:, None] < outputs) & (m[None, :] < rows))


class ModelNew(nn.Module):
    def __init__(self, input_size: int, hidden_size: int, scaling_factor: float) -> None:
        super().__init__()
        self.gemm = nn.Linear(input_size, hidden_size)  # Holds weight and bias; what is computed is ours.
        self.scaling_factor = scaling_factor

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        (rows, inputs), outputs = x.shape, self.gemm.out_features
        x_t = x.new_empty(inputs, rows)
        y = x.new_empty(rows, outputs)
        transpose_kernel[(triton.cdiv(rows, 64), triton.cdiv(inputs, 64))](x, x_t, rows, inputs, BLOCK=64, num_warps=8)

        def tiles(meta: dict) -> tuple[int]:
            return (triton.cdiv(rows, meta["M"]) * triton.cdiv(outputs, meta["N"]),)

        linear_kernel[tiles](self.gemm.weight, x_t, self.gemm.bias, y, rows, inputs, outputs, self.scaling_factor)
        return y
