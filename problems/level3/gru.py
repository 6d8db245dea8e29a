"""Gated recurrent unit, step by step over a sequence; returns the hidden state after every step."""
import torch
from torch import nn

batch, length, in_features, hidden = 128, 64, 256, 512
WORKLOADS = {"cpu": {"batch": 8, "length": 32, "in_features": 64, "hidden": 64}}
META = {"reduces": ["hidden"], "tags": ["network", "recurrent", "matmul"]}


class Model(nn.Module):
    def __init__(self, in_features: int, hidden: int):
        super().__init__()
        self.hidden = hidden
        self.cell = nn.GRUCell(in_features, hidden)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: [batch, length, in_features]. Returns [batch, length, hidden]."""
        state = x.new_zeros(x.shape[0], self.hidden)
        states = []
        for step in x.unbind(1):
            state = self.cell(step, state)
            states.append(state)
        return torch.stack(states, dim=1)


def get_inputs():
    return [2 * torch.randn(batch, length, in_features)]


def get_init_inputs():
    return [in_features, hidden]
