import numpy
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        values = x.numpy()
        exponentials = numpy.exp(values - values.max(axis=1, keepdims=True))
        return torch.from_numpy(exponentials / exponentials.sum(axis=1, keepdims=True))
