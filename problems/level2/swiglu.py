"""SwiGLU: the SiLU of one projection of x times another projection of x."""
import torch
import torch.nn.functional as F
from torch import nn

rows, features, hidden = 2048, 1024, 2048
WORKLOADS = {"cpu": {"rows": 128, "features": 192, "hidden": 256}}
META = {"reduces": "features", "tags": ["matmul", "fusion", "compute-bound"]}


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
