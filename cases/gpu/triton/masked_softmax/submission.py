import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def masked_softmax_kernel(scores, masked, y, scale, heads, queries, keys, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    image, query = row // (heads * queries), row % queries
    c = tl.arange(0, BLOCK)
    hidden = tl.load(masked + (image * queries + query) * keys + c, mask=c < keys, other=1)
    value = tl.load(scores + row * keys + c, mask=c < keys, other=0.0) * scale
    value = tl.where(hidden != 0, -float("inf"), value)
    e = tl.exp(value - tl.max(value, axis=0))
    tl.store(y + row * keys + c, e / tl.sum(e, axis=0), mask=c < keys)


class ModelNew(nn.Module):
    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = scale

    def forward(self, scores: torch.Tensor, masked: torch.Tensor) -> torch.Tensor:
        batch, heads, queries, keys = scores.shape
        y = torch.empty_like(scores)
        grid = (batch * heads * queries,)
        masked_softmax_kernel[grid](
            scores, masked, y, self.scale, heads, queries, keys, BLOCK=triton.next_power_of_2(keys)
        )
        return y
