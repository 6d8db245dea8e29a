import torch
import triton
import triton.language as tl
from torch import nn


# Elements stream through registers; nothing is cached.
# Half of a warp's loads are one event for the cache, in a single pass.
@triton.jit
def stream_kernel(cached, result, size, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    half = tl.load(cached + offsets, mask=offsets < size, other=0.0)
    tl.store(result + offsets, tl.where(half > 0, half, 0.0), mask=offsets < size)


class Fallback:
    """Never used: torch.nn.functional.relu would be its name."""

    def synchronize(self) -> None:
        pass


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result = torch.empty_like(x)
        stream_kernel[(triton.cdiv(x.numel(), 8192),)](x, result, x.numel(), BLOCK=8192, num_warps=8)
        return result
