"""Multiply every row of a bfloat16 matrix by a bfloat16 vector."""
import torch
from torch import nn

rows, cols = 8192, 8192
WORKLOADS = {"cpu": {"rows": 256, "cols": 2048}}
META = {"tags": ["elementwise", "broadcast", "bfloat16", "memory-bound"]}


class Model(nn.Module):
    def forward(self, x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return x * scale


def get_inputs():
    return [torch.randn(rows, cols, dtype=torch.bfloat16), torch.randn(cols, dtype=torch.bfloat16)]


def get_init_inputs():
    return []
