"""Causal scaled dot-product attention in float16."""

import torch
import torch.nn.functional as F
from torch import nn

batch, heads, length, features = 4, 16, 2048, 64
WORKLOADS = {"tiny": {"batch": 1, "heads": 2, "length": 160, "features": 32}}
META = {"reduces": "length", "tags": ["attention", "float16"]}


class Model(nn.Module):
    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def get_inputs():
    spread = 0.5 + torch.rand(batch, heads, 1, 1)
    shape = (batch, heads, length, features)
    return [(spread * torch.randn(shape)).half(), torch.randn(shape).half(), torch.randn(shape).half()]


def get_init_inputs():
    return []
