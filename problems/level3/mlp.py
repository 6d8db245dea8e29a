"""Multilayer perceptron: three linear layers with ReLU between them."""
import torch
from torch import nn

batch, in_features, hidden, out_features = 1024, 1024, 2048, 1000
WORKLOADS = {"cpu": {"batch": 32, "in_features": 128, "hidden": 256, "out_features": 100}}
META = {"reduces": "hidden", "tags": ["network", "matmul"]}


class Model(nn.Module):
    def __init__(self, in_features: int, hidden: int, out_features: int):
        super().__init__()
        self.first = nn.Linear(in_features, hidden)
        self.second = nn.Linear(hidden, hidden)
        self.third = nn.Linear(hidden, out_features)
        for bias in (self.first.bias, self.second.bias, self.third.bias):
            nn.init.normal_(bias, std=0.2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.first(x))
        x = torch.relu(self.second(x))
        return self.third(x)


def get_inputs():
    return [torch.randn(batch, in_features)]


def get_init_inputs():
    return [in_features, hidden, out_features]
