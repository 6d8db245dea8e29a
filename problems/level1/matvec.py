"""Product of a matrix and a vector, A[rows, cols] @ x[cols]."""
import torch
from torch import nn

rows, cols = 8192, 8192
WORKLOADS = {"cpu": {"rows": 1024, "cols": 2048}}
META = {"reduces": "cols", "tags": ["matmul", "reduction", "memory-bound"]}


class Model(nn.Module):
    def forward(self, a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return a @ x


def get_inputs():
    return [torch.randn(rows, cols), torch.randn(cols)]


def get_init_inputs():
    return []
