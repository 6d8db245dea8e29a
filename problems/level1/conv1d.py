"""One-dimensional convolution of sequences, kernel 5, same length, with bias."""
import torch
import torch.nn.functional as F
from torch import nn

batch, in_channels, out_channels, length, kernel = 32, 64, 128, 4096, 5
WORKLOADS = {"cpu": {"batch": 2, "in_channels": 16, "out_channels": 32, "length": 1024}}
META = {"reduces": ["in_channels", "kernel"], "tags": ["convolution", "compute-bound"]}


class Model(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, kernel: int):
        super().__init__()
        scale = (in_channels * kernel) ** -0.5
        self.weight = nn.Parameter(scale * torch.randn(out_channels, in_channels, kernel))
        self.bias = nn.Parameter(0.5 * torch.randn(out_channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.conv1d(x, self.weight, self.bias, padding=self.weight.shape[-1] // 2)


def get_inputs():
    return [torch.randn(batch, in_channels, length)]


def get_init_inputs():
    return [in_channels, out_channels, kernel]
