"""Layer normalization of the rows of a matrix, with weight and bias."""
import torch
import torch.nn.functional as F
from torch import nn

rows, cols = 8192, 4096
WORKLOADS = {"cpu": {"rows": 256, "cols": 2048}}
META = {"reduces": "cols", "tags": ["normalization", "memory-bound"]}


class Model(nn.Module):
    def __init__(self, cols: int):
        super().__init__()
        self.weight = nn.Parameter(1 + 0.5 * torch.randn(cols))
        self.bias = nn.Parameter(0.5 * torch.randn(cols))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias, eps=1e-5)


def get_inputs():
    return [torch.randn(rows, cols) * (0.5 + torch.rand(rows, 1)) + torch.randn(rows, 1)]


def get_init_inputs():
    return [cols]
