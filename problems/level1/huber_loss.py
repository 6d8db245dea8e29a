"""Mean Huber loss of two matrices: squared below a distance of delta, linear above."""
import torch
import torch.nn.functional as F
from torch import nn

rows, cols = 4096, 8192
delta = 1.5
WORKLOADS = {"cpu": {"rows": 512, "cols": 1024}}
# Sums of rows, then the sum of those: neither is longer.
META = {"reduces": ["rows", "cols"], "tags": ["loss", "reduction", "memory-bound"]}


class Model(nn.Module):
    def __init__(self, delta: float):
        super().__init__()
        self.delta = delta

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return F.huber_loss(x, y, delta=self.delta)


def get_inputs():
    # The spread changes by call, row and column: of plain randn any half would have nearly the same mean.
    spread = (1 + torch.rand(())) * (0.5 + torch.rand(rows, 1)) * (0.5 + torch.rand(cols))
    return [spread * torch.randn(rows, cols), spread * torch.randn(rows, cols)]


def get_init_inputs():
    return [delta]
