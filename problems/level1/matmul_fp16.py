"""Product of two float16 matrices, A[m, k] @ B[k, n], in float16."""
import torch
from torch import nn

m, k, n = 4096, 4096, 4096
WORKLOADS = {"cpu": {"m": 192, "k": 192, "n": 192}}
META = {"reduces": "k", "tags": ["matmul", "float16", "compute-bound"]}


class Model(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a @ b


def get_inputs():
    return [torch.randn(m, k, dtype=torch.float16), torch.randn(k, n, dtype=torch.float16)]


def get_init_inputs():
    return []
