"""Batch normalisation in training: it changes its running statistics in every call."""
import torch
from torch import nn

batch, channels, size = 64, 128, 1024
WORKLOADS = {"tiny": {"batch": 4, "channels": 6, "size": 40}}
META = {"reduces": "size"}


class Model(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.norm = nn.BatchNorm1d(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x)


def get_inputs():
    return [torch.randn(batch, channels, size) * (0.5 + torch.rand(channels, 1))]


def get_init_inputs():
    return [channels]
