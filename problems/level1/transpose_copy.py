"""Transpose of a matrix, laid out contiguously."""
import torch
from torch import nn

rows, cols = 8192, 4096
WORKLOADS = {"cpu": {"rows": 512, "cols": 384}}
META = {"tags": ["layout", "memory-bound"]}


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.t().contiguous()


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
