"""A formula of very few elements."""
import torch
from torch import nn

rows, cols = 4, 64


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.sigmoid(x)


def get_inputs():
    return [torch.randn(rows, cols) + 2]


def get_init_inputs():
    return []
