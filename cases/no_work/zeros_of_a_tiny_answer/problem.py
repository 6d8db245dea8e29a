"""Gaussian weights of distances, none of which is larger than 1e-12."""
import torch
from torch import nn

rows, cols = 256, 2048


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 1e-12 * torch.exp(-x * x)


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
