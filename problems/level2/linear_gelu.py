"""Linear layer followed by exact GELU."""
import torch
import torch.nn.functional as F
from torch import nn

rows, in_features, out_features = 2048, 2048, 2048
WORKLOADS = {"cpu": {"rows": 128, "in_features": 256, "out_features": 256}}
META = {"reduces": "in_features", "tags": ["matmul", "fusion", "compute-bound"]}


class Model(nn.Module):
    def __init__(self, in_features: int, out_features: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out_features, in_features) * in_features**-0.5)
        self.bias = nn.Parameter(0.5 * torch.randn(out_features))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.gelu(F.linear(x, self.weight, self.bias))


def get_inputs():
    return [torch.randn(rows, in_features)]


def get_init_inputs():
    return [in_features, out_features]
