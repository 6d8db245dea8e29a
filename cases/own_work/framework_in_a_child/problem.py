"""Product of two matrices, large enough that starting a process for it is little beside it."""
import torch
from torch import nn

m, k, n = 1024, 768, 1024
META = {"reduces": "k"}


class Model(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a @ b


def get_inputs():
    return [torch.randn(m, k), torch.randn(k, n)]


def get_init_inputs():
    return []
