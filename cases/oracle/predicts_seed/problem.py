"""Softmax of the rows of a matrix, whose inputs a submission can foretell if it knows the seed."""
import torch
from torch import nn

rows, cols = 256, 2048
META = {"reduces": "cols"}


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x, dim=1)


def get_inputs():
    return [4 * torch.randn(rows, cols)]


def get_init_inputs():
    return []
