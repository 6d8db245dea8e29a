import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
__global__ void SumColumnsKernel(const float* x, float* y, int rows, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int r = 0; r < rows; ++r) sum = compensated_add(sum, x[r * columns + c]);
  y[c] = sum;
}

extern "C" void sum_columns(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  SumColumnsKernel<<<columns / 128, 128, 0, stream>>>(x, y, rows, columns);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="sum_columns", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True
    )
)
LIBRARY.sum_columns.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_int] * 2 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.new_empty(x.shape[1])
        LIBRARY.sum_columns(x.data_ptr(), y.data_ptr(), *x.shape, torch.cuda.current_stream().cuda_stream)
        return y
