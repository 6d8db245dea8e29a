"""Leaky ReLU of every element, with the negative slope as an argument of the model."""
import torch
import torch.nn.functional as F
from torch import nn

rows, cols = 4099, 8191
slope = 0.125
WORKLOADS = {"cpu": {"rows": 509, "cols": 2039}}
META = {"tags": ["elementwise", "memory-bound", "odd-size"]}


class Model(nn.Module):
    def __init__(self, slope: float):
        super().__init__()
        self.slope = slope

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.leaky_relu(x, self.slope)


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return [slope]
