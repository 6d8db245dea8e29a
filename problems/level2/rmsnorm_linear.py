"""Root-mean-square normalization of the rows of a matrix, followed by a linear layer without bias."""
import torch
import torch.nn.functional as F
from torch import nn

rows, in_features, out_features = 4096, 1024, 2048
WORKLOADS = {"cpu": {"rows": 128, "in_features": 256, "out_features": 256}}
META = {"reduces": "in_features", "tags": ["matmul", "normalization", "fusion"]}


class Model(nn.Module):
    def __init__(self, in_features: int, out_features: int):
        super().__init__()
        self.norm_weight = nn.Parameter(1 + 0.5 * torch.randn(in_features))
        self.weight = nn.Parameter(torch.randn(out_features, in_features) * in_features**-0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mean_square = x.pow(2).mean(dim=1, keepdim=True)
        return F.linear(x * torch.rsqrt(mean_square + 1e-6) * self.norm_weight, self.weight)


def get_inputs():
    return [torch.randn(rows, in_features) * (0.5 + torch.rand(rows, 1))]


def get_init_inputs():
    return [in_features, out_features]
