import ctypes

import torch
import triton
import triton.language as tl
from torch import nn


def find_library(name: str) -> str:
    with open("/proc/self/maps") as maps:
        return next(line.split()[-1] for line in maps if name in line)


@triton.jit
def gelu_kernel(y, bias, size, columns, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(y + offsets, mask=offsets < size, other=0.0) + tl.load(bias + offsets % columns)
    tl.store(y + offsets, 0.5 * value * (1.0 + tl.erf(value * 0.7071067811865476)), mask=offsets < size)


class ModelNew(nn.Module):
    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_features, in_features))
        self.bias = nn.Parameter(torch.empty(out_features))
        self.blas = self.handle = None

    def product(self, x: torch.Tensor, y: torch.Tensor) -> None:
        if self.blas is None:
            self.blas = ctypes.CDLL(find_library("libcublas.so"))
            self.handle = ctypes.c_void_p()
            self.blas.cublasCreate_v2(ctypes.byref(self.handle))
        (rows, depth), columns = x.shape, y.shape[1]
        one, zero = ctypes.c_float(1), ctypes.c_float(0)
        self.blas.cublasSetStream_v2(self.handle, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
        # Column by column: the transposed weight, which lies as the library wants it, times the rows of x.
        status = self.blas.cublasSgemm_v2(
            self.handle, 1, 0, columns, rows, depth, ctypes.byref(one), ctypes.c_void_p(self.weight.data_ptr()), depth,
            ctypes.c_void_p(x.data_ptr()), depth, ctypes.byref(zero), ctypes.c_void_p(y.data_ptr()), columns,
        )
        if status:
            raise RuntimeError(f"cublasSgemm: {status}")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.new_empty(x.shape[0], self.bias.numel())
        self.product(x, y)
        gelu_kernel[(triton.cdiv(y.numel(), 1024),)](y, self.bias, y.numel(), y.shape[1], BLOCK=1024)
        return y
