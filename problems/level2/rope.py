"""Rotary position embedding: the two halves of each head's vector turned by the angles of its position."""
import torch
from torch import nn

batch, heads, length, features = 8, 32, 1024, 128
WORKLOADS = {"cpu": {"batch": 2, "heads": 8, "length": 256, "features": 64}}
META = {"tags": ["attention", "elementwise", "fusion", "memory-bound"]}


class Model(nn.Module):
    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        """x: [batch, heads, length, features]; cos, sin: [length, features / 2]."""
        left, right = x.chunk(2, dim=-1)
        return torch.cat((left * cos - right * sin, right * cos + left * sin), dim=-1)


def get_inputs():
    half = features // 2
    frequency = 10000.0 ** (-torch.arange(half) / half)
    start = torch.randint(1024, ())  # As in decoding: the sequence begins at some position.
    angle = (start + torch.arange(length))[:, None] * frequency
    return [torch.randn(batch, heads, length, features), torch.cos(angle), torch.sin(angle)]


def get_init_inputs():
    return []
