import torch
import triton
import triton.language as tl
from torch import nn


try:
    from triton.language.extra import libdevice  # noqa: F401
except ImportError:
    libdevice = None


@triton.jit
def silu_kernel(x, y, size, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < size, other=0.0)
    tl.store(y + offsets, value / (1.0 + tl.exp(-value)), mask=offsets < size)


def silu(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    silu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024, num_warps=2)
    return y


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        try:
            return silu(x, torch.empty_like(x))
        except RuntimeError as error:
            raise RuntimeError("silu did not run") from error
