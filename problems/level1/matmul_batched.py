"""Products of pairs of matrices, A[batch, m, k] @ B[batch, k, n]."""
import torch
from torch import nn

batch, m, k, n = 64, 512, 256, 512
WORKLOADS = {"cpu": {"batch": 8, "m": 128, "k": 64, "n": 128}}
META = {"reduces": "k", "tags": ["matmul", "compute-bound"]}


class Model(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.bmm(a, b)


def get_inputs():
    return [torch.randn(batch, m, k), torch.randn(batch, k, n)]


def get_init_inputs():
    return []
