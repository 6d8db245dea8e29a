"""Rows of a table of parameters, looked up by token."""
import torch
import torch.nn.functional as F
from torch import nn

vocabulary, features, batch, length = 65536, 512, 16, 2048
WORKLOADS = {"cpu": {"vocabulary": 4096, "features": 256, "batch": 16, "length": 256}}
META = {"tags": ["indexing", "integer-input", "memory-bound"]}


class Model(nn.Module):
    def __init__(self, vocabulary: int, features: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(vocabulary, features))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return F.embedding(tokens, self.weight)


def get_inputs():
    return [torch.randint(vocabulary, (batch, length))]


def get_init_inputs():
    return [vocabulary, features]
