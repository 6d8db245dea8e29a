"""Logarithm of the sum of exponentials of each row of a matrix."""
import torch
from torch import nn

rows, cols = 4096, 8192
WORKLOADS = {"cpu": {"rows": 256, "cols": 2048}}
META = {"reduces": "cols", "tags": ["reduction", "memory-bound"]}


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.logsumexp(x, dim=1)


def get_inputs():
    # Rows differ in spread and centre: of plain randn all rows would have nearly the same answer.
    return [torch.randn(rows, cols) * (0.5 + 3 * torch.rand(rows, 1)) + 5 * torch.randn(rows, 1)]


def get_init_inputs():
    return []
