import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def add_kernel(x, bias, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.load(x + row * columns + c, mask=c < columns) + tl.load(bias + c, mask=c < columns)
    tl.store(y + row * columns + c, total, mask=c < columns)


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.side = None

    def forward(self, x: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        if self.side is None:
            self.side = torch.cuda.Stream()
        y = torch.empty_like(x)
        rows, columns = x.shape
        half = rows // 2
        tiles = triton.cdiv(columns, 2048)
        main = torch.cuda.current_stream()
        self.side.wait_stream(main)
        with torch.cuda.stream(self.side):
            add_kernel[(rows - half, tiles)](x[half:], b, y[half:], columns, BLOCK=2048)
        add_kernel[(half, tiles)](x, b, y, columns, BLOCK=2048)
        main.wait_stream(self.side)
        for tensor in (x, b, y):
            tensor.record_stream(self.side)
        return y
