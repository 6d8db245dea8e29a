"""Each row of a matrix divided by its Euclidean length."""
import torch
from torch import nn

rows, cols = 8192, 4096
WORKLOADS = {"cpu": {"rows": 512, "cols": 1024}}
META = {"reduces": "cols", "tags": ["normalization", "memory-bound"]}


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x / torch.linalg.vector_norm(x, dim=1, keepdim=True)


def get_inputs():
    return [torch.randn(rows, cols) * (0.5 + 3 * torch.rand(rows, 1))]


def get_init_inputs():
    return []
