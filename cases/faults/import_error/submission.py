import torch
from torch import nn

import fused_kernels_for_cpu


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return fused_kernels_for_cpu.relu(x)
