import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def mean_kernel(x, mean, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + c, mask=c < columns, other=0.0)
    tl.store(mean + row, tl.sum(value, axis=0) / columns)


@triton.jit
def variance_kernel(x, variance, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + c, mask=c < columns, other=0.0)
    apart = tl.where(c < columns, value - tl.sum(value, axis=0) / columns, 0.0)
    tl.store(variance + row, tl.sum(apart * apart, axis=0) / (columns - 1))


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.graph = None
        self.side = None

    def launch(self) -> None:
        rows, columns = self.x.shape
        block = triton.next_power_of_2(columns)
        main = torch.cuda.current_stream()
        self.side.wait_stream(main)
        with torch.cuda.stream(self.side):
            variance_kernel[(rows,)](self.x, self.variance, columns, BLOCK=block, num_warps=8)
        mean_kernel[(rows,)](self.x, self.mean, columns, BLOCK=block, num_warps=8)
        main.wait_stream(self.side)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        if self.graph is None:
            self.side = torch.cuda.Stream()
            self.x, self.mean, self.variance = x.clone(), x.new_empty(x.shape[0]), x.new_empty(x.shape[0])
            self.launch()
            torch.cuda.synchronize()
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.launch()
        self.x.copy_(x)
        self.graph.replay()
        return self.mean, self.variance
