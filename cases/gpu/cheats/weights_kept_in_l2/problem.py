"""Linear layer without bias for a batch of two, as in decoding: the weights are all of the traffic."""

import torch
import torch.nn.functional as F
from torch import nn

rows, inputs, outputs = 2, 2048, 2048
META = {"reduces": "inputs", "tags": ["matmul", "memory-bound"]}


class Model(nn.Module):
    def __init__(self, inputs: int, outputs: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs) * inputs**-0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.linear(x, self.weight)


def get_inputs():
    return [torch.randn(rows, inputs)]


def get_init_inputs():
    return [inputs, outputs]
