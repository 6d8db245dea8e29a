import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def max_kernel(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + c, mask=c < columns, other=float("-inf"))
    tl.store(y + row, tl.max(value, axis=0))


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.graphs: dict[tuple[int, ...], tuple[torch.cuda.CUDAGraph, torch.Tensor, torch.Tensor]] = {}

    def captured(self, example: torch.Tensor) -> tuple[torch.cuda.CUDAGraph, torch.Tensor, torch.Tensor]:
        rows, columns = example.shape
        x, y = example.clone(), example.new_empty(rows)
        block = triton.next_power_of_2(columns)
        max_kernel[(rows,)](x, y, columns, BLOCK=block, num_warps=8)  # Compiled before it is captured.
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            max_kernel[(rows,)](x, y, columns, BLOCK=block, num_warps=8)
        return graph, x, y

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        shape = tuple(x.shape)
        if shape not in self.graphs:
            self.graphs[shape] = self.captured(x)
        graph, static, y = self.graphs[shape]
        static.copy_(x)
        graph.replay()
        return y
