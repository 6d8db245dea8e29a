import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
constexpr int kThreads = 256;

__device__ float WarpSum(float v) {
  for (int apart = 16; apart > 0; apart /= 2) v += __shfl_down_sync(0xffffffffu, v, apart);
  return v;
}

__global__ void SumRowsKernel(const float* __restrict__ x, float* __restrict__ y, int columns) {
  __shared__ float warps[kThreads / 32];
  const float* row = x + static_cast<long>(blockIdx.x) * columns;
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += kThreads) sum += row[c];
  sum = WarpSum(sum);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = WarpSum(threadIdx.x < kThreads / 32 ? warps[threadIdx.x] : 0.0f);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

extern "C" void sum_rows(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  SumRowsKernel<<<rows, kThreads, 0, stream>>>(x, y, columns);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="sum_rows",
        cpp_sources="",
        cuda_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cuda_cflags=["-O3"],
    )
)
LIBRARY.sum_rows.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_int] * 2 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.new_empty(x.shape[0])
        LIBRARY.sum_rows(x.data_ptr(), y.data_ptr(), *x.shape, torch.cuda.current_stream().cuda_stream)
        return y
