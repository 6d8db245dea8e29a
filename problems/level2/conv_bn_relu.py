"""Convolution of images (3 by 3, no bias), batch normalization with given statistics, and ReLU."""
import torch
import torch.nn.functional as F
from torch import nn

batch, in_channels, out_channels, size, kernel = 16, 64, 128, 56, 3
WORKLOADS = {"cpu": {"batch": 2, "in_channels": 8, "out_channels": 16, "size": 28}}
META = {"reduces": ["in_channels", "kernel", "kernel"], "tags": ["convolution", "image", "fusion"]}


class Model(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, kernel: int):
        super().__init__()
        scale = (in_channels * kernel * kernel) ** -0.5
        self.conv_weight = nn.Parameter(scale * torch.randn(out_channels, in_channels, kernel, kernel))
        self.weight = nn.Parameter(1 + 0.5 * torch.randn(out_channels))
        self.bias = nn.Parameter(0.5 * torch.randn(out_channels))
        self.register_buffer("running_mean", torch.randn(out_channels))
        self.register_buffer("running_var", 0.5 + torch.rand(out_channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.conv2d(x, self.conv_weight, padding=self.conv_weight.shape[-1] // 2)
        y = F.batch_norm(y, self.running_mean, self.running_var, self.weight, self.bias, training=False, eps=1e-5)
        return torch.relu(y)


def get_inputs():
    return [torch.randn(batch, in_channels, size, size)]


def get_init_inputs():
    return [in_channels, out_channels, kernel]
