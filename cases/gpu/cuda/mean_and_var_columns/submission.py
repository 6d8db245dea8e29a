import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
constexpr int kThreads = 256;

__device__ float BlockSum(float value, float* kept) {
  kept[threadIdx.x] = value;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) kept[threadIdx.x] += kept[threadIdx.x + half];
  }
  __syncthreads();
  value = kept[0];
  __syncthreads();
  return value;
}

__global__ void MeanAndVarKernel(const float* x, float2* y, int columns) {
  __shared__ float kept[kThreads];
  x += static_cast<long>(blockIdx.x) * columns;
  float sum = 0, squares = 0;
  for (int c = threadIdx.x; c < columns; c += kThreads) sum += x[c];
  const float mean = BlockSum(sum, kept) / columns;
  for (int c = threadIdx.x; c < columns; c += kThreads) squares += (x[c] - mean) * (x[c] - mean);
  squares = BlockSum(squares, kept);
  if (threadIdx.x == 0) y[blockIdx.x] = make_float2(mean, squares / (columns - 1));
}

extern "C" void mean_and_var(const float* x, float2* y, int rows, int columns, cudaStream_t stream) {
  MeanAndVarKernel<<<rows, kThreads, 0, stream>>>(x, y, columns);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="mean_and_var",
        cpp_sources="",
        cuda_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
    )
)
LIBRARY.mean_and_var.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_int] * 2 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        pairs = x.new_empty(x.shape[0], 2)
        LIBRARY.mean_and_var(x.data_ptr(), pairs.data_ptr(), *x.shape, torch.cuda.current_stream().cuda_stream)
        return pairs[:, 0], pairs[:, 1]
