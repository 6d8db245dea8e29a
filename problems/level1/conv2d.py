"""Two-dimensional convolution of images, kernel 3 by 3, same size, with bias."""
import torch
import torch.nn.functional as F
from torch import nn

batch, in_channels, out_channels, size, kernel = 16, 64, 128, 56, 3
WORKLOADS = {"cpu": {"batch": 2, "in_channels": 8, "out_channels": 16, "size": 28}}
META = {"reduces": ["in_channels", "kernel", "kernel"], "tags": ["convolution", "image", "compute-bound"]}


class Model(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, kernel: int):
        super().__init__()
        scale = (in_channels * kernel * kernel) ** -0.5
        self.weight = nn.Parameter(scale * torch.randn(out_channels, in_channels, kernel, kernel))
        self.bias = nn.Parameter(0.5 * torch.randn(out_channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.conv2d(x, self.weight, self.bias, padding=self.weight.shape[-1] // 2)


def get_inputs():
    return [torch.randn(batch, in_channels, size, size)]


def get_init_inputs():
    return [in_channels, out_channels, kernel]
