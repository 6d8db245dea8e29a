"""Rows of a matrix picked by index, in the order of the indices, repeats allowed."""
import torch
from torch import nn

rows, cols, picks = 32768, 1024, 32768
WORKLOADS = {"cpu": {"rows": 1024, "cols": 256, "picks": 1024}}
META = {"tags": ["indexing", "integer-input", "memory-bound"]}


class Model(nn.Module):
    def forward(self, x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return x[index]


def get_inputs():
    return [torch.randn(rows, cols), torch.randint(rows, (picks,))]


def get_init_inputs():
    return []
