"""Softmax of scaled attention scores, with the masked ones set to minus infinity first."""
import torch
from torch import nn

batch, heads, queries, keys = 4, 16, 512, 1024
scale = 0.125
WORKLOADS = {"cpu": {"batch": 2, "heads": 4, "queries": 64, "keys": 256}}
META = {"reduces": "keys", "tags": ["attention", "normalization", "fusion", "bool-input", "memory-bound"]}


class Model(nn.Module):
    def __init__(self, scale: float):
        super().__init__()
        self.scale = scale

    def forward(self, scores: torch.Tensor, masked: torch.Tensor) -> torch.Tensor:
        return torch.softmax((scores * self.scale).masked_fill(masked, float("-inf")), dim=-1)


def get_inputs():
    masked = torch.rand(batch, 1, queries, keys) < 0.3
    masked[..., 0] = False  # A row with every key masked would be NaN.
    return [16 * torch.randn(batch, heads, queries, keys), masked]


def get_init_inputs():
    return [scale]
