"""Exclusive running sum from the right: each element becomes the sum of those after it in its row."""
import torch
import torch.nn.functional as F
from torch import nn

rows, cols = 4096, 8192
WORKLOADS = {"cpu": {"rows": 256, "cols": 2048}}
META = {"reduces": "cols", "tags": ["scan", "memory-bound"]}


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        inclusive = torch.cumsum(x.flip(1), dim=1)
        return F.pad(inclusive[:, :-1], (1, 0)).flip(1)


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
