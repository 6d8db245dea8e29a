import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"minimum": x.amin(dim=1), "maximum": x.amax(dim=1), "mean": x.mean(dim=1)}
