"""Product of two matrices of eight bit integers, as integers of 32 bits; no sum exceeds 2^24."""
import torch
from torch import nn

m, k, n = 2048, 1024, 2048
WORKLOADS = {"tiny": {"m": 70, "k": 90, "n": 100}}


class Model(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a.double() @ b.double()).to(torch.int32)


def get_inputs():
    return [torch.randint(-127, 128, (m, k), dtype=torch.int8), torch.randint(-127, 128, (k, n), dtype=torch.int8)]


def get_init_inputs():
    return []
