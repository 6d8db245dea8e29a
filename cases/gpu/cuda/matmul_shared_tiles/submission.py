import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
constexpr int kTile = 64, kDepth = 16, kEach = 4, kSide = kTile / kEach;

__global__ void __launch_bounds__(kSide* kSide)
    MatmulKernel(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float left[kDepth][kTile + 1];
  __shared__ float right[kDepth][kTile];
  const int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  const int thread = threadIdx.y * kSide + threadIdx.x;
  float sums[kEach][kEach] = {};
  for (int start = 0; start < k; start += kDepth) {
    for (int at = thread; at < kTile * kDepth; at += kSide * kSide) {
      const int i = at / kDepth, p = at % kDepth;
      left[p][i] = row + i < m && start + p < k ? a[static_cast<long>(row + i) * k + start + p] : 0.0f;
      const int q = at / kTile, j = at % kTile;
      right[q][j] = start + q < k && column + j < n ? b[static_cast<long>(start + q) * n + column + j] : 0.0f;
    }
    __syncthreads();
    for (int p = 0; p < kDepth; ++p) {
      float x[kEach], y[kEach];
      for (int i = 0; i < kEach; ++i) x[i] = left[p][threadIdx.y + i * kSide];
      for (int j = 0; j < kEach; ++j) y[j] = right[p][threadIdx.x + j * kSide];
      for (int i = 0; i < kEach; ++i)
        for (int j = 0; j < kEach; ++j) sums[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < kEach; ++i)
    for (int j = 0; j < kEach; ++j) {
      const int r = row + threadIdx.y + i * kSide, s = column + threadIdx.x + j * kSide;
      if (r < m && s < n) c[static_cast<long>(r) * n + s] = sums[i][j];
    }
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  const dim3 grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile), block(kSide, kSide);
  MatmulKernel<<<grid, block, 0, stream>>>(a, b, c, m, n, k);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="matmul", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.matmul.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int] * 3 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        (m, k), n = a.shape, b.shape[1]
        c = a.new_empty(m, n)
        stream = torch.cuda.current_stream().cuda_stream
        LIBRARY.matmul(a.data_ptr(), b.data_ptr(), c.data_ptr(), m, n, k, stream)
        return c
