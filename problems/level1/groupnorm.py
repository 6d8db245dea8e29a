"""Group normalization of images, with weight and bias for each channel."""
import torch
import torch.nn.functional as F
from torch import nn

batch, groups, group_channels, size = 16, 8, 8, 128
WORKLOADS = {"cpu": {"batch": 4, "group_channels": 4, "size": 64}}
META = {"reduces": ["group_channels", "size", "size"], "tags": ["normalization", "image", "memory-bound"]}


class Model(nn.Module):
    def __init__(self, groups: int, channels: int):
        super().__init__()
        self.groups = groups
        self.weight = nn.Parameter(1 + 0.5 * torch.randn(channels))
        self.bias = nn.Parameter(0.5 * torch.randn(channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.group_norm(x, self.groups, self.weight, self.bias, eps=1e-5)


def get_inputs():
    channels = groups * group_channels
    return [torch.randn(batch, channels, size, size) + torch.randn(batch, channels, 1, 1)]


def get_init_inputs():
    return [groups, groups * group_channels]
