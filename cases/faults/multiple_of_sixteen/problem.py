"""Scale and shift, at a width that no block size divides."""
import torch
from torch import nn

rows, cols = 1031, 509


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 1.5 * x + 0.25


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
