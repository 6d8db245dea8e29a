"""Max pooling of images, window 3 by 3, stride 2, padding 1."""
import torch
import torch.nn.functional as F
from torch import nn

batch, channels, size = 32, 64, 128
WORKLOADS = {"cpu": {"batch": 2, "channels": 16, "size": 64}}
META = {"tags": ["pooling", "image", "memory-bound"]}


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.max_pool2d(x, kernel_size=3, stride=2, padding=1)


def get_inputs():
    return [torch.randn(batch, channels, size, size)]


def get_init_inputs():
    return []
