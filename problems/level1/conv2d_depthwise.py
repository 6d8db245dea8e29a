"""Depthwise convolution of images: each channel with its own 3 by 3 kernel, same size, without bias."""
import torch
import torch.nn.functional as F
from torch import nn

batch, channels, size, kernel = 32, 64, 112, 3
WORKLOADS = {"cpu": {"batch": 2, "channels": 16, "size": 56}}
META = {"reduces": ["kernel", "kernel"], "tags": ["convolution", "image", "memory-bound"]}


class Model(nn.Module):
    def __init__(self, channels: int, kernel: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(channels, 1, kernel, kernel) / kernel)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.conv2d(x, self.weight, padding=self.weight.shape[-1] // 2, groups=self.weight.shape[0])


def get_inputs():
    return [torch.randn(batch, channels, size, size)]


def get_init_inputs():
    return [channels, kernel]
