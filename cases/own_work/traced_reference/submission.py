import torch
from torch import nn


def layernorm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.layer_norm(x, weight.shape, weight, bias, eps=1e-5)


class ModelNew(nn.Module):
    def __init__(self, cols: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(cols))
        self.bias = nn.Parameter(torch.zeros(cols))
        self.graph = torch.jit.trace(layernorm, (torch.rand(2, cols), self.weight.detach(), self.bias.detach()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.graph(x, self.weight, self.bias)
