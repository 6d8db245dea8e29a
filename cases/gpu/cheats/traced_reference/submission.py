import torch
from torch import nn


def formula(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return nn.functional.layer_norm(x, weight.shape, weight, bias, eps=1e-5)


class ModelNew(nn.Module):
    def __init__(self, columns: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(columns))
        self.bias = nn.Parameter(torch.zeros(columns))
        self.graph = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.graph is None:
            self.graph = torch.jit.trace(formula, (x, self.weight, self.bias), check_trace=False)
        return self.graph(x, self.weight, self.bias)
