"""Mean cross entropy of the logits that a linear layer (a language model's head) makes from hidden states."""
import torch
import torch.nn.functional as F
from torch import nn

rows, features, vocabulary = 2048, 512, 16384
WORKLOADS = {"cpu": {"rows": 64, "features": 128, "vocabulary": 1024}}
META = {"reduces": "vocabulary", "tags": ["matmul", "loss", "fusion", "integer-input"]}


class Model(nn.Module):
    def __init__(self, features: int, vocabulary: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(vocabulary, features) * features**-0.5)

    def forward(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(F.linear(hidden, self.weight), targets)


def get_inputs():
    # The spread changes by call and row: of plain randn any half would have nearly the same mean.
    spread = (1 + 2 * torch.rand(())) * (0.5 + torch.rand(rows, 1))
    return [spread * torch.randn(rows, features), torch.randint(vocabulary, (rows,))]


def get_init_inputs():
    return [features, vocabulary]
