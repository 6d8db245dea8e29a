"""Add a vector to every row of a matrix."""
import torch
from torch import nn

rows, cols = 4096, 8192
WORKLOADS = {"cpu": {"rows": 512, "cols": 2048}}
META = {"tags": ["elementwise", "broadcast", "memory-bound"]}


class Model(nn.Module):
    def forward(self, x: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return x + b


def get_inputs():
    return [torch.randn(rows, cols), torch.randn(cols)]


def get_init_inputs():
    return []
