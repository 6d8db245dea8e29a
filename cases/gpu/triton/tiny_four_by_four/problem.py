"""A formula of very few elements."""
import torch
from torch import nn

rows, cols = 4, 4


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * x + 1


def get_inputs():
    return [torch.randn(rows, cols) + 2]


def get_init_inputs():
    return []
