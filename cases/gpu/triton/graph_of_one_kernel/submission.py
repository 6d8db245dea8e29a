import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rmsnorm_kernel(x, weight, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0) * columns
    c = tl.arange(0, BLOCK)
    value = tl.load(x + row + c, mask=c < columns, other=0.0)
    mean_square = tl.sum(value * value, axis=0) / columns
    gain = tl.load(weight + c, mask=c < columns)
    tl.store(y + row + c, value / tl.sqrt(mean_square + 1e-6) * gain, mask=c < columns)


class ModelNew(nn.Module):
    def __init__(self, columns: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(columns))
        self.graph = None

    def launch(self) -> None:
        rows, columns = self.x.shape
        block = triton.next_power_of_2(columns)
        rmsnorm_kernel[(rows,)](self.x, self.weight, self.y, columns, BLOCK=block, num_warps=16)

    def capture(self, x: torch.Tensor) -> None:
        self.x, self.y = x.clone(), torch.empty_like(x)
        self.launch()
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.launch()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.graph is None:
            self.capture(x)
        self.x.copy_(x)
        self.graph.replay()
        return self.y
