"""Mean of each sequence's vectors, divided by its Euclidean length (a sentence embedding)."""
import torch
from torch import nn

batch, length, features = 64, 512, 1024
WORKLOADS = {"cpu": {"batch": 16, "length": 128, "features": 512}}
META = {"reduces": "length", "tags": ["reduction", "normalization", "fusion", "memory-bound"]}


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mean = x.mean(dim=1)
        return mean / torch.linalg.vector_norm(mean, dim=1, keepdim=True)


def get_inputs():
    return [torch.randn(batch, length, features) + torch.randn(batch, 1, features)]


def get_init_inputs():
    return []
