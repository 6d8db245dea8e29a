"""Sum of each column of a matrix."""
import torch
from torch import nn

rows, cols = 8192, 4096
WORKLOADS = {"cpu": {"rows": 2048, "cols": 512}}
META = {"reduces": "rows", "tags": ["reduction", "memory-bound"]}


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.sum(dim=0)


def get_inputs():
    return [torch.randn(rows, cols) + torch.randn(cols)]


def get_init_inputs():
    return []
