from concurrent.futures import ThreadPoolExecutor

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def formula_kernel(x, y, size, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < size
    v = tl.load(x + offsets, mask=inside, other=0.0)
    grown = tl.exp(tl.minimum(v, 20.0))
    grown = grown * (grown + 2.0)
    wave = tl.sin(5.0 * v) * tl.exp(-v * v)
    tl.store(y + offsets, v * grown / (grown + 2.0) + 0.25 * wave, mask=inside)


BLOCKS = (256, 512, 1024, 2048)


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.compiled = False

    def compile(self, x: torch.Tensor) -> None:
        y = torch.empty_like(x[:1])
        with ThreadPoolExecutor(len(BLOCKS)) as pool:
            launches = [
                pool.submit(formula_kernel.warmup, x, y, x.numel(), BLOCK=block, grid=(1,)) for block in BLOCKS
            ]
        for launch in launches:
            launch.result()
        self.compiled = True

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.compiled:
            self.compile(x)
        y = torch.empty_like(x)
        block = BLOCKS[-1] if x.numel() > 1 << 20 else BLOCKS[0]
        formula_kernel[(triton.cdiv(x.numel(), block),)](x, y, x.numel(), BLOCK=block)
        return y
