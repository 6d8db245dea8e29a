"""A step of gradient descent with momentum, in place."""
import torch
from torch import nn

rows, cols = 4096, 4096
META = {"in_place": True}


class Model(nn.Module):
    def __init__(self, decay: float, rate: float):
        super().__init__()
        self.decay, self.rate = decay, rate

    def forward(self, weight: torch.Tensor, momentum: torch.Tensor, gradient: torch.Tensor):
        momentum.mul_(self.decay).add_(gradient)
        weight.sub_(self.rate * momentum)
        return weight, momentum


def get_inputs():
    return [torch.randn(rows, cols), torch.randn(rows, cols), torch.randn(rows, cols)]


def get_init_inputs():
    return [0.9, 0.3]
