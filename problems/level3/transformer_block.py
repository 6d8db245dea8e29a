"""Pre-norm transformer block: causal self-attention and a GELU perceptron, each with a residual."""
import torch
import torch.nn.functional as F
from torch import nn

batch, length, features, heads = 8, 512, 512, 8
WORKLOADS = {"cpu": {"batch": 2, "length": 64, "features": 128, "heads": 4}}
META = {"reduces": [4, "features"], "tags": ["network", "attention", "matmul", "normalization"]}


def layer_norm(features: int) -> nn.LayerNorm:
    norm = nn.LayerNorm(features)
    nn.init.normal_(norm.weight, mean=1.0, std=0.3)
    nn.init.normal_(norm.bias, std=0.3)
    return norm


class Model(nn.Module):
    def __init__(self, features: int, heads: int):
        super().__init__()
        self.heads = heads
        self.attention_norm = layer_norm(features)
        self.qkv = nn.Linear(features, 3 * features, bias=False)
        self.out = nn.Linear(features, features)
        self.mlp_norm = layer_norm(features)
        self.up = nn.Linear(features, 4 * features)
        self.down = nn.Linear(4 * features, features)
        nn.init.normal_(self.qkv.weight, std=1.5 * features**-0.5)  # So that attention is far from uniform.

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, features = x.shape
        qkv = self.qkv(x).view(batch, length, 3, self.heads, features // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, length, features))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attend(self.attention_norm(x))
        return x + self.down(F.gelu(self.up(self.mlp_norm(x))))


def get_inputs():
    return [torch.randn(batch, length, features)]


def get_init_inputs():
    return [features, heads]
