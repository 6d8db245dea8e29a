"""Residual block of a convolutional network that halves the image, in inference."""
import torch
import torch.nn.functional as F
from torch import nn

batch, in_channels, out_channels, size = 16, 64, 128, 56
WORKLOADS = {"cpu": {"batch": 2, "in_channels": 16, "out_channels": 32, "size": 28}}
META = {"reduces": ["out_channels", 3, 3], "tags": ["network", "convolution", "image", "normalization"]}


class FixedBatchNorm(nn.Module):
    """Batch normalization with given statistics, in training mode too."""

    def __init__(self, channels: int):
        super().__init__()
        self.weight = nn.Parameter(1 + 0.3 * torch.randn(channels))
        self.bias = nn.Parameter(0.3 * torch.randn(channels))
        self.register_buffer("running_mean", 0.3 * torch.randn(channels))
        self.register_buffer("running_var", 0.5 + torch.rand(channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias, training=False, eps=1e-5)


class Model(nn.Module):
    def __init__(self, in_channels: int, out_channels: int):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride=2, padding=1, bias=False)
        self.norm1 = FixedBatchNorm(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = FixedBatchNorm(out_channels)
        self.skip = nn.Conv2d(in_channels, out_channels, 1, stride=2, bias=False)
        self.skip_norm = FixedBatchNorm(out_channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        return torch.relu(y + self.skip_norm(self.skip(x)))


def get_inputs():
    return [torch.randn(batch, in_channels, size, size)]


def get_init_inputs():
    return [in_channels, out_channels]
