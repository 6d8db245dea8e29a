"""Sums of rows whose terms nearly cancel, asked so exactly that a plain float32 sum is not enough."""
import torch
from torch import nn

rows, cols = 256, 4096
META = {"reduces": "cols", "perturb": False, "tolerance": {"rtol": 1e-6, "atol_rms": 1e-6}}


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.double().sum(dim=1).float()


def get_inputs():
    half = 1000 * torch.randn(rows, cols // 2)
    x = torch.cat([half, torch.randn(rows, cols // 2) - half], dim=1)
    return [x[:, torch.randperm(cols)].contiguous()]


def get_init_inputs():
    return []
