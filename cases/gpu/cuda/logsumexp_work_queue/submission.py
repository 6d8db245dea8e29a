import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>

constexpr int kThreads = 256;

__device__ float BlockReduce(float value, bool sum, float* kept) {
  kept[threadIdx.x] = value;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      const float other = kept[threadIdx.x + half];
      kept[threadIdx.x] = sum ? kept[threadIdx.x] + other : fmaxf(kept[threadIdx.x], other);
    }
  }
  __syncthreads();
  value = kept[0];
  __syncthreads();
  return value;
}

__global__ void LogSumExpKernel(const float* x, float* y, int* next, int rows, int columns) {
  __shared__ float kept[kThreads];
  __shared__ int row;
  while (true) {
    if (threadIdx.x == 0) row = atomicAdd(next, 1);
    __syncthreads();
    const int mine = row;
    __syncthreads();
    if (mine >= rows) return;
    const float* in = x + static_cast<long>(mine) * columns;
    float top = -INFINITY, sum = 0;
    for (int c = threadIdx.x; c < columns; c += kThreads) top = fmaxf(top, in[c]);
    top = BlockReduce(top, false, kept);
    for (int c = threadIdx.x; c < columns; c += kThreads) sum += expf(in[c] - top);
    sum = BlockReduce(sum, true, kept);
    if (threadIdx.x == 0) y[mine] = top + logf(sum);
  }
}

extern "C" void logsumexp(const float* x, float* y, int* next, int rows, int columns, cudaStream_t stream) {
  static const int blocks = [] {
    int device = 0, processors = 0, each = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, LogSumExpKernel, kThreads, 0);
    return processors * each;
  }();
  cudaMemsetAsync(next, 0, sizeof(int), stream);
  LogSumExpKernel<<<blocks, kThreads, 0, stream>>>(x, y, next, rows, columns);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="logsumexp", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.logsumexp.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int] * 2 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y, counter = x.new_empty(x.shape[0]), torch.empty(1, dtype=torch.int32, device=x.device)
        pointers = x.data_ptr(), y.data_ptr(), counter.data_ptr()
        LIBRARY.logsumexp(*pointers, *x.shape, torch.cuda.current_stream().cuda_stream)
        return y
