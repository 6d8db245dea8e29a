"""Average pooling of images, window 2 by 2, stride 2."""
import torch
import torch.nn.functional as F
from torch import nn

batch, channels, size = 32, 64, 128
WORKLOADS = {"cpu": {"batch": 4, "channels": 32, "size": 64}}
META = {"reduces": 4, "tags": ["pooling", "image", "memory-bound"]}


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.avg_pool2d(x, kernel_size=2)


def get_inputs():
    return [torch.randn(batch, channels, size, size)]


def get_init_inputs():
    return []
