"""Smallest, largest and mean value of each row of a matrix, as a dict of three vectors."""
import torch
from torch import nn

rows, cols = 4096, 8192
WORKLOADS = {"cpu": {"rows": 512, "cols": 2048}}
META = {"reduces": "cols", "tags": ["reduction", "dict-output", "memory-bound"]}


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"min": x.amin(dim=1), "max": x.amax(dim=1), "mean": x.mean(dim=1)}


def get_inputs():
    return [torch.randn(rows, cols) * (0.5 + 3 * torch.rand(rows, 1)) + torch.randn(rows, 1)]


def get_init_inputs():
    return []
