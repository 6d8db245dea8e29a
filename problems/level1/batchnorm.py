"""Batch normalization of images with given running statistics (inference)."""
import torch
import torch.nn.functional as F
from torch import nn

batch, channels, size = 16, 64, 128
WORKLOADS = {"cpu": {"batch": 4, "channels": 32, "size": 64}}
META = {"tags": ["normalization", "image", "memory-bound"]}


class Model(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.weight = nn.Parameter(1 + 0.5 * torch.randn(channels))
        self.bias = nn.Parameter(0.5 * torch.randn(channels))
        self.register_buffer("running_mean", torch.randn(channels))
        self.register_buffer("running_var", 0.5 + torch.rand(channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias, training=False, eps=1e-5)


def get_inputs():
    return [torch.randn(batch, channels, size, size)]


def get_init_inputs():
    return [channels]
