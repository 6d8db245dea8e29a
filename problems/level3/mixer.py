"""MLP-mixer block: a perceptron across the patches, then one across the features, each with a residual."""
import torch
import torch.nn.functional as F
from torch import nn

batch, patches, features, token_hidden, channel_hidden = 16, 196, 512, 256, 2048
WORKLOADS = {"cpu": {"batch": 2, "patches": 49, "features": 128, "token_hidden": 64, "channel_hidden": 256}}
META = {"reduces": "channel_hidden", "tags": ["network", "matmul", "normalization"]}


class Perceptron(nn.Module):
    def __init__(self, features: int, hidden: int):
        super().__init__()
        self.up = nn.Linear(features, hidden)
        self.down = nn.Linear(hidden, features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(F.gelu(self.up(x)))


def layer_norm(features: int) -> nn.LayerNorm:
    norm = nn.LayerNorm(features)
    nn.init.normal_(norm.weight, mean=1.0, std=0.3)
    nn.init.normal_(norm.bias, std=0.3)
    return norm


class Model(nn.Module):
    def __init__(self, patches: int, features: int, token_hidden: int, channel_hidden: int):
        super().__init__()
        self.token_norm = layer_norm(features)
        self.token_mlp = Perceptron(patches, token_hidden)
        self.channel_norm = layer_norm(features)
        self.channel_mlp = Perceptron(features, channel_hidden)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.token_mlp(self.token_norm(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channel_mlp(self.channel_norm(x))


def get_inputs():
    return [torch.randn(batch, patches, features)]


def get_init_inputs():
    return [patches, features, token_hidden, channel_hidden]
