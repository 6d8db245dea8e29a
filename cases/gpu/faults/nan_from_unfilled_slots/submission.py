import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
constexpr int kThreads = 384, kSlots = 16;  // Twelve warps.

__device__ float BlockSum(float v) {
  __shared__ float slots[kSlots];
  __syncthreads();
  if (threadIdx.x < kSlots) slots[threadIdx.x] = NAN;
  __syncthreads();
  for (int apart = 16; apart > 0; apart /= 2) v += __shfl_xor_sync(0xffffffffu, v, apart);
  if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = v;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < kSlots; ++i) sum += slots[i];
  return sum;
}

__global__ void MomentsKernel(const float* x, float* mean, float* variance, int columns) {
  const float* row = x + static_cast<long>(blockIdx.x) * columns;
  float sum = 0, squares = 0;
  for (int c = threadIdx.x; c < columns; c += kThreads) sum += row[c];
  const float middle = BlockSum(sum) / columns;
  for (int c = threadIdx.x; c < columns; c += kThreads) squares += (row[c] - middle) * (row[c] - middle);
  squares = BlockSum(squares);
  if (threadIdx.x == 0) mean[blockIdx.x] = middle;
  if (threadIdx.x == 0) variance[blockIdx.x] = squares / (columns - 1);
}

extern "C" void moments(const float* x, float* mean, float* variance, int rows, int columns, cudaStream_t stream) {
  MomentsKernel<<<rows, kThreads, 0, stream>>>(x, mean, variance, columns);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="moments", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.moments.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int] * 2 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        mean, variance = x.new_empty(x.shape[0]), x.new_empty(x.shape[0])
        stream = torch.cuda.current_stream().cuda_stream
        LIBRARY.moments(x.data_ptr(), mean.data_ptr(), variance.data_ptr(), *x.shape, stream)
        return mean, variance
