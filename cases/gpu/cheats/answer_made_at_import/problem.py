"""A sigmoid gate of every element, whose inputs a submission can foretell if it knows the seed."""

import torch
from torch import nn

rows, cols = 2048, 4096


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.sigmoid(1.5 * x)


def get_inputs():
    return [torch.randn(rows, cols) * 2]


def get_init_inputs():
    return []
