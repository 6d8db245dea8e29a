import ctypes

import torch
from torch import nn


def find_library(name: str) -> str:
    with open("/proc/self/maps") as maps:
        return next(line.split()[-1] for line in maps if name in line)


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blas = self.handle = None

    def open(self) -> None:
        self.blas = ctypes.CDLL(find_library("libcublas.so"))
        self.handle = ctypes.c_void_p()
        self.blas.cublasCreate_v2(ctypes.byref(self.handle))

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        if self.blas is None:
            self.open()
        (m, k), n = a.shape, b.shape[1]
        c = a.new_empty(m, n)
        one, zero = ctypes.c_float(1), ctypes.c_float(0)
        self.blas.cublasSetStream_v2(self.handle, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
        # Column by column, so that the product of the transposed operands in the other order is asked for.
        status = self.blas.cublasSgemm_v2(
            self.handle,
            0,
            0,
            n,
            m,
            k,
            ctypes.byref(one),
            ctypes.c_void_p(b.data_ptr()),
            n,
            ctypes.c_void_p(a.data_ptr()),
            k,
            ctypes.byref(zero),
            ctypes.c_void_p(c.data_ptr()),
            n,
        )
        if status:
            raise RuntimeError(f"cublasSgemm: {status}")
        return c
