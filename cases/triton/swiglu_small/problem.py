"""SwiGLU of a few rows, small enough for an interpreter."""
import torch
import torch.nn.functional as F
from torch import nn

rows, features, hidden = 64, 64, 128


class Model(nn.Module):
    def __init__(self, features: int, hidden: int):
        super().__init__()
        self.gate = nn.Parameter(torch.randn(hidden, features) * features**-0.5)
        self.up = nn.Parameter(torch.randn(hidden, features) * features**-0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.silu(F.linear(x, self.gate)) * F.linear(x, self.up)


def get_inputs():
    return [torch.randn(rows, features)]


def get_init_inputs():
    return [features, hidden]
