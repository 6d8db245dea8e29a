"""GELU of every element, with the error function (not the tanh approximation)."""
import torch
import torch.nn.functional as F
from torch import nn

rows, cols = 4096, 8192
WORKLOADS = {"cpu": {"rows": 256, "cols": 2048}}
META = {"tags": ["elementwise", "memory-bound"]}


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.gelu(x)


def get_inputs():
    return [2 * torch.randn(rows, cols)]


def get_init_inputs():
    return []
