import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
__global__ void SumRowsKernel(const float* x, float* y, int columns) {
  extern __shared__ float row[];
  for (int c = threadIdx.x; c < columns; c += blockDim.x) row[c] = x[static_cast<long>(blockIdx.x) * columns + c];
  __syncthreads();
  if (threadIdx.x != 0) return;
  float sums[8] = {};
  for (int c = 0; c < columns; ++c) sums[c % 8] += row[c];
  for (int i = 1; i < 8; ++i) sums[0] += sums[i];
  y[blockIdx.x] = sums[0];
}

extern "C" void sum_rows(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  SumRowsKernel<<<rows, 128, 320 * 1024, stream>>>(x, y, columns);
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
