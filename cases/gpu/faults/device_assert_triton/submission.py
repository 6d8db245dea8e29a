import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit(debug=True)
def embedding_kernel(tokens, table, y, vocabulary, features, BLOCK: tl.constexpr):
    place = tl.program_id(0).to(tl.int64)
    token = tl.load(tokens + place)
    tl.device_assert(token < vocabulary // 2, "token outside the table")
    f = tl.arange(0, BLOCK)
    row = tl.load(table + token * features + f, mask=f < features)
    tl.store(y + place * features + f, row, mask=f < features)


class ModelNew(nn.Module):
    def __init__(self, vocabulary: int, features: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(vocabulary, features))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        vocabulary, features = self.weight.shape
        y = self.weight.new_empty(*tokens.shape, features)
        embedding_kernel[(tokens.numel(),)](
            tokens, self.weight, y, vocabulary, features, BLOCK=triton.next_power_of_2(features)
        )
        return y
