"""Product of a matrix and a transposed one, both in eight bits (e4m3), in bfloat16: a[m, k] @ b[n, k].T."""

import torch
from torch import nn

m, k, n = 2048, 2048, 2048
WORKLOADS = {"tiny": {"m": 96, "k": 80, "n": 112}}
META = {"reduces": "k", "tags": ["matmul", "float8", "compute-bound"]}


class Model(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a.float() @ b.float().t()).bfloat16()


def get_inputs():
    return [torch.randn(m, k).to(torch.float8_e4m3fn), torch.randn(n, k).to(torch.float8_e4m3fn)]


def get_init_inputs():
    return []
