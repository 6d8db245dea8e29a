"""Linear layer in bfloat16, followed by SiLU."""

import torch
import torch.nn.functional as F
from torch import nn

rows, inputs, outputs = 4096, 2048, 2048
WORKLOADS = {"tiny": {"rows": 96, "inputs": 80, "outputs": 112}}
META = {"reduces": "inputs", "tags": ["matmul", "bfloat16", "fusion"]}


class Model(nn.Module):
    def __init__(self, inputs: int, outputs: int):
        super().__init__()
        self.weight = nn.Parameter((torch.randn(outputs, inputs) * inputs**-0.5).bfloat16())
        self.bias = nn.Parameter((0.5 * torch.randn(outputs)).bfloat16())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.silu(F.linear(x, self.weight, self.bias).float()).bfloat16()


def get_inputs():
    return [(2 * torch.randn(rows, inputs)).bfloat16()]


def get_init_inputs():
    return [inputs, outputs]
