"""Mish plus a wave in a Gaussian envelope: a long elementwise formula that eager PyTorch runs as nine kernels."""
import torch
import torch.nn.functional as F
from torch import nn

rows, cols = 4096, 4096
WORKLOADS = {"cpu": {"rows": 128, "cols": 1024}}
META = {"tags": ["elementwise", "fusion"]}


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mish = x * torch.tanh(F.softplus(x))
        wave = torch.sin(5 * x) * torch.exp(-x * x)
        return mish + 0.25 * wave


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
