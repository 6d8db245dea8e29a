import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def softmax_kernel(x, y, first, columns, BLOCK: tl.constexpr):
    row = first + tl.program_id(0)
    c = tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + c, mask=c < columns, other=float("-inf"))
    above = tl.exp(value - tl.max(value, axis=0))
    tl.store(y + row * columns + c, above / tl.sum(above, axis=0), mask=c < columns)


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.streams: list[torch.cuda.Stream] = []

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.streams = self.streams or [torch.cuda.Stream() for _ in range(3)]
        rows, columns = x.shape
        y, current = torch.empty_like(x), torch.cuda.current_stream()
        fork = current.record_event()
        for i, stream in enumerate(self.streams):
            first, end = rows * i // 3, rows * (i + 1) // 3
            stream.wait_event(fork)
            with torch.cuda.stream(stream):
                softmax_kernel[(end - first,)](
                    x, y, first, columns, BLOCK=triton.next_power_of_2(columns), num_warps=8
                )
            current.wait_event(stream.record_event())
        return y
