import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
template <int kThreads>
__device__ float BlockSum(float v) {
  __shared__ float warps[kThreads / 32];
  for (int apart = 16; apart > 0; apart /= 2) v += __shfl_xor_sync(0xffffffffu, v, apart);
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
  __syncthreads();
  float sum = 0;
  for (int w = 0; w < kThreads / 32; ++w) sum += warps[w];
  return sum;
}

template <int kThreads, int kEach>
__global__ void LayerNormKernel(const float* x, const float* weight, const float* bias, float* y, int columns) {
  x += static_cast<long>(blockIdx.x) * columns;
  y += static_cast<long>(blockIdx.x) * columns;
  float kept[kEach], sum = 0, squares = 0;
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int c = i * kThreads + threadIdx.x;
    kept[i] = c < columns ? x[c] : 0.0f;
    sum += kept[i];
  }
  const float mean = BlockSum<kThreads>(sum) / columns;
#pragma unroll
  for (int i = 0; i < kEach; ++i)
    if (i * kThreads + threadIdx.x < columns) squares += (kept[i] - mean) * (kept[i] - mean);
  const float scale = rsqrtf(BlockSum<kThreads>(squares) / columns + 1e-5f);
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int c = i * kThreads + threadIdx.x;
    if (c < columns) y[c] = (kept[i] - mean) * scale * weight[c] + bias[c];
  }
}

extern "C" int layernorm(const float* x, const float* weight, const float* bias, float* y, int rows, int columns,
                         cudaStream_t stream) {
  if (columns <= 1024) {
    LayerNormKernel<128, 8><<<rows, 128, 0, stream>>>(x, weight, bias, y, columns);
  } else if (columns <= 4096) {
    LayerNormKernel<256, 16><<<rows, 256, 0, stream>>>(x, weight, bias, y, columns);
  } else {
    return cudaErrorInvalidValue;
  }
  return cudaGetLastError();
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="layernorm", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.layernorm.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_int] * 2 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def __init__(self, columns: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(columns))
        self.bias = nn.Parameter(torch.zeros(columns))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        pointers = [tensor.data_ptr() for tensor in (x, self.weight, self.bias, y)]
        if LIBRARY.layernorm(*pointers, *x.shape, torch.cuda.current_stream().cuda_stream):
            raise RuntimeError("no kernel for this width, or it did not start")
        return y
