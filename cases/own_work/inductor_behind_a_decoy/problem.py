"""Sum of each row of a matrix."""
import torch
from torch import nn

rows, cols = 4096, 8192
WORKLOADS = {"cpu": {"rows": 2048, "cols": 4096}}
META = {"reduces": "cols", "tags": ["reduction", "memory-bound"]}


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.sum(dim=1)


def get_inputs():
    return [torch.randn(rows, cols) + torch.randn(rows, 1)]


def get_init_inputs():
    return []
