"""Linear layer without bias, in bfloat16."""

import torch
import torch.nn.functional as F
from torch import nn

rows, inputs, outputs = 2048, 1024, 1024
META = {"reduces": "inputs", "tags": ["matmul", "bfloat16"]}


class Model(nn.Module):
    def __init__(self, inputs: int, outputs: int):
        super().__init__()
        self.weight = nn.Parameter((torch.randn(outputs, inputs) * inputs**-0.5).bfloat16())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.linear(x, self.weight)


def get_inputs():
    return [torch.randn(rows, inputs).bfloat16()]


def get_init_inputs():
    return [inputs, outputs]
