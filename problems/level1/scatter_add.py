"""Add each row of a matrix to the row of another that its index names; the caller's matrices stay as they are."""
import torch
from torch import nn

bins, rows, cols = 16384, 65536, 512
WORKLOADS = {"cpu": {"bins": 512, "rows": 2048, "cols": 256}}
# A bin gets 4 rows on average and, in practice, never more than 32.
META = {"reduces": 32, "tags": ["indexing", "integer-input", "atomics", "memory-bound"]}


class Model(nn.Module):
    def forward(self, base: torch.Tensor, index: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return base.index_add(0, index, x)


def get_inputs():
    return [torch.randn(bins, cols), torch.randint(bins, (rows,)), torch.randn(rows, cols)]


def get_init_inputs():
    return []
