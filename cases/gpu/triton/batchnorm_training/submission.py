import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def batchnorm_kernel(
    x, y, weight, bias, mean_of_all, var_of_all, batch, channels, size, momentum, eps, BLOCK: tl.constexpr
):
    channel = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for b in range(batch):
        for start in range(0, size, BLOCK):
            at = (b * channels + channel) * size + start + c
            total += tl.load(x + at, mask=start + c < size, other=0.0)
    mean = tl.sum(total, axis=0) / (batch * size)
    squares = tl.zeros((BLOCK,), tl.float32)
    for b in range(batch):
        for start in range(0, size, BLOCK):
            at = (b * channels + channel) * size + start + c
            off = tl.where(start + c < size, tl.load(x + at, mask=start + c < size, other=0.0) - mean, 0.0)
            squares += off * off
    var = tl.sum(squares, axis=0) / (batch * size)
    scale = tl.load(weight + channel) * tl.rsqrt(var + eps)
    shift = tl.load(bias + channel)
    for b in range(batch):
        for start in range(0, size, BLOCK):
            at = (b * channels + channel) * size + start + c
            value = tl.load(x + at, mask=start + c < size, other=0.0)
            tl.store(y + at, (value - mean) * scale + shift, mask=start + c < size)
    unbiased = var * (batch * size) / (batch * size - 1)
    tl.store(mean_of_all + channel, (1 - momentum) * tl.load(mean_of_all + channel) + momentum * mean)
    tl.store(var_of_all + channel, (1 - momentum) * tl.load(var_of_all + channel) + momentum * unbiased)


class ModelNew(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        n = self.norm
        batch, channels, size = x.shape
        batchnorm_kernel[(channels,)](
            x, y, n.weight, n.bias, n.running_mean, n.running_var, batch, channels, size, n.momentum, n.eps, BLOCK=1024
        )
        return y
