import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
constexpr int kTile = 32;

__global__ void PartKernel(const float* a, const float* b, float* c, int m, int n, int k, int depth) {
  __shared__ float left[kTile][kTile], right[kTile][kTile + 1];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  const int first = blockIdx.z * depth, end = min(first + depth, k);
  float sum = 0;
  for (int start = first; start < end; start += kTile) {
    const int p = start + threadIdx.x, q = start + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < m && p < end ? a[static_cast<long>(row) * k + p] : 0;
    right[threadIdx.y][threadIdx.x] = q < end && column < n ? b[static_cast<long>(q) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) atomicAdd(c + static_cast<long>(row) * n + column, sum);
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  constexpr int kParts = 4;
  const int depth = ((k + kParts - 1) / kParts + kTile - 1) / kTile * kTile;
  cudaMemsetAsync(c, 0, sizeof(float) * m * n, stream);
  PartKernel<<<dim3((n + kTile - 1) / kTile, (m + kTile - 1) / kTile, kParts), dim3(kTile, kTile), 0, stream>>>(
      a, b, c, m, n, k, depth);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="matmul", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.matmul.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int] * 3 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        c = a.new_empty(a.shape[0], b.shape[1])
        sizes = a.shape[0], b.shape[1], a.shape[1]
        pointers = a.data_ptr(), b.data_ptr(), c.data_ptr()
        LIBRARY.matmul(*pointers, *sizes, torch.cuda.current_stream().cuda_stream)
        return c
