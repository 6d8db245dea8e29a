"""Mean and unbiased variance of each row of a matrix, as a tuple of two vectors."""
import torch
from torch import nn

rows, cols = 4096, 8192
WORKLOADS = {"cpu": {"rows": 256, "cols": 2048}}
META = {"reduces": "cols", "tags": ["reduction", "tuple-output", "memory-bound"]}


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x.mean(dim=1), x.var(dim=1)


def get_inputs():
    return [torch.randn(rows, cols) * (0.5 + 3 * torch.rand(rows, 1)) + torch.randn(rows, 1)]


def get_init_inputs():
    return []
