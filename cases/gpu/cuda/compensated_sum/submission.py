import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
// A sum and what rounding lost of it. The compiler keeps the order of float operations unless told otherwise.
struct Sum {
  float high = 0, low = 0;
  __device__ void Add(float value) {
    const float next = high + value, back = next - high;
    low += (high - (next - back)) + (value - back);
    high = next;
  }
};

__global__ void SumKernel(const float* x, float* y, int columns) {
  x += static_cast<long>(blockIdx.x) * columns;
  Sum sum;
  for (int c = threadIdx.x; c < columns; c += 32) sum.Add(x[c]);
  for (int far = 16; far > 0; far /= 2) {
    const float high = __shfl_down_sync(~0u, sum.high, far), low = __shfl_down_sync(~0u, sum.low, far);
    sum.Add(high);
    sum.low += low;
  }
  if (threadIdx.x == 0) y[blockIdx.x] = sum.high + sum.low;
}

extern "C" void sum_rows(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  SumKernel<<<rows, 32, 0, stream>>>(x, y, columns);
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
