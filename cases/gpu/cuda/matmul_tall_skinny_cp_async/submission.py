import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cuda_pipeline.h>

constexpr int kRows = 32, kWidth = 64, kThreads = 256;  // Rows of a tile; k and n are at most kWidth.

/// A tile of rows into `to`, four floats a copy. k is a multiple of four.
__device__ void Fetch(float (*to)[kWidth], const float* a, long tile, long m, int k) {
  for (int at = threadIdx.x; at < kRows * (k / 4); at += kThreads) {
    const int i = at / (k / 4), p = at % (k / 4) * 4;
    if (tile * kRows + i < m) __pipeline_memcpy_async(&to[i][p], a + (tile * kRows + i) * k + p, 16);
  }
  __pipeline_commit();
}

__global__ void TallKernel(const float* a, const float* b, float* c, long m, int k, int n) {
  __shared__ __align__(16) float tiles[2][kRows][kWidth];
  __shared__ float small[kWidth][kWidth];
  for (int at = threadIdx.x; at < k * n; at += kThreads) small[at / n][at % n] = b[at];
  const long all = (m + kRows - 1) / kRows;
  int now = 0;
  if (blockIdx.x < all) Fetch(tiles[0], a, blockIdx.x, m, k);
  for (long tile = blockIdx.x; tile < all; tile += gridDim.x, now ^= 1) {
    if (tile + gridDim.x < all) {
      Fetch(tiles[now ^ 1], a, tile + gridDim.x, m, k);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    for (int at = threadIdx.x; at < kRows * n; at += kThreads) {
      const int i = at / n, j = at % n;
      if (tile * kRows + i >= m) break;
      float sum = 0;
      for (int p = 0; p < k; ++p) sum += tiles[now][i][p] * small[p][j];
      c[(tile * kRows + i) * n + j] = sum;
    }
    __syncthreads();
  }
}

extern "C" int tall(const float* a, const float* b, float* c, long m, int k, int n, cudaStream_t stream) {
  if (k > kWidth || n > kWidth || k % 4 != 0) return cudaErrorInvalidValue;
  TallKernel<<<528, kThreads, 0, stream>>>(a, b, c, m, k, n);
  return cudaGetLastError();
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="tall", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.tall.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long, ctypes.c_int, ctypes.c_int, ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        (m, k), n = a.shape, b.shape[1]
        c = a.new_empty(m, n)
        stream = torch.cuda.current_stream().cuda_stream
        status = LIBRARY.tall(a.data_ptr(), b.data_ptr(), c.data_ptr(), m, k, n, stream)
        if status != 0:
            raise ValueError(f"operands are too wide, or the launch failed ({status})")
        return c
