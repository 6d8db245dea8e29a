"""Product of two matrices, A[m, k] @ B[k, n]."""
import torch
from torch import nn

m, k, n = 2048, 2048, 2048
WORKLOADS = {"cpu": {"m": 256, "k": 256, "n": 256}}
META = {"reduces": "k", "tags": ["matmul", "compute-bound"]}


class Model(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a @ b


def get_inputs():
    return [torch.randn(m, k), torch.randn(k, n)]


def get_init_inputs():
    return []
