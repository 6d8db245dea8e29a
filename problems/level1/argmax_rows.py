"""Index of the largest value of each row of a matrix; of equal values the first."""
import torch
from torch import nn

rows, cols = 4096, 8192
WORKLOADS = {"cpu": {"rows": 256, "cols": 2048}}
META = {"tags": ["reduction", "integer-output", "memory-bound"]}


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.argmax(dim=1)


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
