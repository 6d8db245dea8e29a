"""Product of a matrix with int8 weights, each column of which has its own scale."""
import torch
from torch import nn

m, k, n = 1024, 2048, 2048
WORKLOADS = {"cpu": {"m": 64, "k": 256, "n": 256}}
META = {"reduces": "k", "tags": ["matmul", "quantized", "fusion"]}


class Model(nn.Module):
    def forward(self, x: torch.Tensor, quantized: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        """x: float32[m, k]; quantized: int8[k, n]; scale: float32[n]."""
        return x @ (quantized.to(x.dtype) * scale)


def get_inputs():
    quantized = torch.randint(-127, 128, (k, n), dtype=torch.int8)
    return [torch.randn(m, k), quantized, (0.5 + torch.rand(n)) / 64]


def get_init_inputs():
    return []
