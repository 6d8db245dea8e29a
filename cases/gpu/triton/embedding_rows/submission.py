import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def embedding_kernel(tokens, table, y, features, BLOCK: tl.constexpr):
    place = tl.program_id(0).to(tl.int64)
    token = tl.load(tokens + place)
    f = tl.arange(0, BLOCK)
    tl.store(y + place * features + f, tl.load(table + token * features + f, mask=f < features), mask=f < features)


class ModelNew(nn.Module):
    def __init__(self, vocabulary: int, features: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(vocabulary, features))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        features = self.weight.shape[1]
        y = torch.empty(*tokens.shape, features, device=tokens.device)
        embedding_kernel[(tokens.numel(),)](
            tokens, self.weight, y, features, BLOCK=triton.next_power_of_2(features), num_warps=2
        )
        return y
