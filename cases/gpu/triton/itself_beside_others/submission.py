import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x * 0.5 + 1.0).cumsum(dim=1)
