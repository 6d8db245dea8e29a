import torch
import triton
import triton.language as tl
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode


@triton.jit
def relu_kernel(x, y, size, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < size, other=0.0)
    tl.store(y + offsets, tl.maximum(value, 0.0), mask=offsets < size)


def relu(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024, num_warps=2)
    return y


class Count(TorchDispatchMode):
    calls = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        Count.calls += 1
        return function(*args, **(kwargs or {}))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with Count():
            y = torch.empty_like(x)
        return relu(x, y)
