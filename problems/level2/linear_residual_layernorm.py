"""Linear layer, a residual added to it, and layer normalization of the sum."""
import torch
import torch.nn.functional as F
from torch import nn

rows, features = 8192, 1024
WORKLOADS = {"cpu": {"rows": 128, "features": 256}}
META = {"reduces": "features", "tags": ["matmul", "normalization", "fusion"]}


class Model(nn.Module):
    def __init__(self, features: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(features, features) * features**-0.5)
        self.bias = nn.Parameter(0.5 * torch.randn(features))
        self.norm_weight = nn.Parameter(1 + 0.5 * torch.randn(features))
        self.norm_bias = nn.Parameter(0.5 * torch.randn(features))

    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        y = F.linear(x, self.weight, self.bias) + residual
        return F.layer_norm(y, self.norm_weight.shape, self.norm_weight, self.norm_bias, eps=1e-5)


def get_inputs():
    return [torch.randn(rows, features), torch.randn(rows, features)]


def get_init_inputs():
    return [features]
