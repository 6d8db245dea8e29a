"""Product of a tall matrix A[m, k] and a small one B[k, n]."""
import torch
from torch import nn

m, k, n = 262144, 64, 64
WORKLOADS = {"cpu": {"m": 8192, "k": 32, "n": 32}}
META = {"reduces": "k", "tags": ["matmul", "memory-bound"]}


class Model(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a @ b


def get_inputs():
    return [torch.randn(m, k), torch.randn(k, n)]


def get_init_inputs():
    return []
