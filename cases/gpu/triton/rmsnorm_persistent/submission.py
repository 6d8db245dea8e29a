import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rmsnorm_kernel(x, weight, y, rows, columns, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    inside = c < columns
    gain = tl.load(weight + c, mask=inside)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        value = tl.load(x + row * columns + c, mask=inside, other=0.0)
        scale = tl.rsqrt(tl.sum(value * value, axis=0) / columns + 1e-6)
        tl.store(y + row * columns + c, value * scale * gain, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, columns: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(columns))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        rows, columns = x.shape
        programs = 4 * torch.cuda.get_device_properties(x.device).multi_processor_count
        block = triton.next_power_of_2(columns)
        rmsnorm_kernel[(programs,)](x, self.weight, y, rows, columns, BLOCK=block, num_warps=8)
        return y
