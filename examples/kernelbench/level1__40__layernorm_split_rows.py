"""Layer normalization of a few very long rows: 16 of four million elements each.

One program for each row would leave most of the card idle, so rows are cut into chunks. The first kernel finds mean and
spread of each chunk, the second combines those of its row (a few kilobytes) and normalizes its own chunk.
"""

import torch
import triton
import triton.language as tl
from torch import nn

CHUNK = 8192


@triton.jit
def chunk_kernel(x, means, spreads, size, CHUNK: tl.constexpr):
    row, chunk = tl.program_id(1), tl.program_id(0)
    c = chunk * CHUNK + tl.arange(0, CHUNK)
    value = tl.load(x + row.to(tl.int64) * size + c, mask=c < size, other=0.0)
    mean = tl.sum(value, axis=0) / tl.minimum(CHUNK, size - chunk * CHUNK)
    apart = tl.where(c < size, value - mean, 0.0)
    place = row * tl.num_programs(0) + chunk
    tl.store(means + place, mean)
    tl.store(spreads + place, tl.sum(apart * apart, axis=0))


@triton.jit
def apply_kernel(x, means, spreads, weight, bias, y, size, eps, CHUNK: tl.constexpr, CHUNKS: tl.constexpr):
    row, chunk, chunks = tl.program_id(1), tl.program_id(0), tl.num_programs(0)
    k = tl.arange(0, CHUNKS)
    count = tl.where(k < chunks, tl.minimum(CHUNK, size - k * CHUNK), 0)  # The last chunk may be a short one.
    chunk_mean = tl.load(means + row * chunks + k, mask=k < chunks, other=0.0)
    spread = tl.load(spreads + row * chunks + k, mask=k < chunks, other=0.0)
    mean = tl.sum(chunk_mean * count, axis=0) / size
    variance = tl.sum(spread + count * (chunk_mean - mean) * (chunk_mean - mean), axis=0) / size
    c = chunk * CHUNK + tl.arange(0, CHUNK)
    place = row.to(tl.int64) * size + c
    gain = tl.rsqrt(variance + eps) * tl.load(weight + c, mask=c < size)
    value = (tl.load(x + place, mask=c < size) - mean) * gain + tl.load(bias + c, mask=c < size)
    tl.store(y + place, value, mask=c < size)


class ModelNew(nn.Module):
    def __init__(self, normalized_shape: tuple) -> None:
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape)  # Holds weight, bias and eps; what is computed is ours.

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        size = self.ln.weight.numel()
        rows, chunks = x.numel() // size, triton.cdiv(size, CHUNK)
        means, spreads = x.new_empty(rows, chunks), x.new_empty(rows, chunks)
        y = torch.empty_like(x)
        grid, block = (chunks, rows), triton.next_power_of_2(chunks)
        chunk_kernel[grid](x, means, spreads, size, CHUNK=CHUNK, num_warps=8)
        apply_kernel[grid](
            x,
            means,
            spreads,
            self.ln.weight,
            self.ln.bias,
            y,
            size,
            self.ln.eps,
            CHUNK=CHUNK,
            CHUNKS=block,
            num_warps=8,
        )
        return y
