"""The k largest values of each row of a matrix, in falling order."""
import torch
from torch import nn

rows, cols, k = 8192, 4096, 16
WORKLOADS = {"cpu": {"rows": 64, "cols": 1024}}
META = {"tags": ["selection", "reduction"]}


class Model(nn.Module):
    def __init__(self, k: int):
        super().__init__()
        self.k = k

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.topk(x, self.k, dim=1).values


def get_inputs():
    return [torch.randn(rows, cols) + torch.randn(rows, 1)]


def get_init_inputs():
    return [k]
