import torch
import triton
import triton.language as tl
from torch import nn


torch.use_deterministic_algorithms(True)
torch.backends.cudnn.benchmark = False


@triton.jit
def silu_kernel(x, y, size, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < size, other=0.0)
    tl.store(y + offsets, value / (1.0 + tl.exp(-value)), mask=offsets < size)


def silu(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    silu_kernel[(triton.cdiv(x.numel(), 4096),)](x, y, x.numel(), BLOCK=4096, num_warps=8)
    return y


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return silu(x, torch.empty_like(x))
