"""Mean cross entropy of rows of logits against integer classes."""
import torch
import torch.nn.functional as F
from torch import nn

rows, classes = 4096, 8192
WORKLOADS = {"cpu": {"rows": 256, "classes": 1024}}
META = {"reduces": "classes", "tags": ["loss", "reduction", "integer-input", "memory-bound"]}


class Model(nn.Module):
    def forward(self, logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(logits, targets)


def get_inputs():
    # The spread changes by call and row: of plain randn any half would have nearly the same mean.
    spread = (1 + 2 * torch.rand(())) * (0.5 + torch.rand(rows, 1))
    return [spread * torch.randn(rows, classes), torch.randint(classes, (rows,))]


def get_init_inputs():
    return []
