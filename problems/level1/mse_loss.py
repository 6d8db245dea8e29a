"""Mean squared difference of two matrices."""
import torch
import torch.nn.functional as F
from torch import nn

rows, cols = 4096, 8192
WORKLOADS = {"cpu": {"rows": 256, "cols": 2048}}
# Sums of rows, then the sum of those: neither is longer.
META = {"reduces": ["rows", "cols"], "tags": ["loss", "reduction", "memory-bound"]}


class Model(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return F.mse_loss(x, y)


def get_inputs():
    # The spread changes by call, row and column: of plain randn any half would have nearly the same mean.
    spread = (1 + torch.rand(())) * (0.5 + torch.rand(rows, 1)) * (0.5 + torch.rand(cols))
    return [spread * torch.randn(rows, cols), spread * torch.randn(rows, cols)]


def get_init_inputs():
    return []
