import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def relu_kernel(x, y, size, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < size, other=0.0)
    tl.store(y + offsets, tl.maximum(value, 0.0), mask=offsets < size)


def relu(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024, num_warps=4)
    return y


class ModelNew(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, kernel: int) -> None:
        super().__init__()
        self.conv_weight = nn.Parameter(torch.empty(out_channels, in_channels, kernel, kernel))
        self.weight = nn.Parameter(torch.empty(out_channels))
        self.bias = nn.Parameter(torch.empty(out_channels))
        self.register_buffer("running_mean", torch.empty(out_channels))
        self.register_buffer("running_var", torch.empty(out_channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = nn.functional.conv2d(x, self.conv_weight, padding=self.conv_weight.shape[-1] // 2)
        y = nn.functional.batch_norm(y, self.running_mean, self.running_var, self.weight, self.bias)
        return relu(y, y)
