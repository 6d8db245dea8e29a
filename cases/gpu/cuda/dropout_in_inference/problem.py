"""A dropout that is switched off, then a softmax of each short row."""
import torch
from torch import nn

rows, cols = 65536, 256
WORKLOADS = {"tiny": {"rows": 5, "cols": 100}}
META = {"reduces": "cols"}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.dropout = nn.Dropout(0.3)
        self.eval()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.dropout(x), dim=1)


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
