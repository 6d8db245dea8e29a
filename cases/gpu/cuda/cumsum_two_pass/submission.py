import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
constexpr int kChunk = 1024;  // A thread an element.

__device__ float WarpScan(float v) {
  for (int apart = 1; apart < 32; apart *= 2) {
    const float left = __shfl_up_sync(0xffffffffu, v, apart);
    if (threadIdx.x % 32 >= apart) v += left;
  }
  return v;
}

/// The inclusive sum over the threads of a block.
__device__ float BlockScan(float v, float* warps) {
  v = WarpScan(v);
  if (threadIdx.x % 32 == 31) warps[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) warps[threadIdx.x] = WarpScan(warps[threadIdx.x]);
  __syncthreads();
  return threadIdx.x < 32 ? v : v + warps[threadIdx.x / 32 - 1];
}

__global__ void ChunkSums(const float* x, float* sums, int columns) {
  __shared__ float warps[32];
  const int c = blockIdx.x * kChunk + threadIdx.x;
  const float sum = BlockScan(c < columns ? x[static_cast<long>(blockIdx.y) * columns + c] : 0.0f, warps);
  if (threadIdx.x == kChunk - 1) sums[blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

__global__ void ScanChunks(const float* x, const float* sums, float* y, int columns) {
  __shared__ float warps[32];
  const int c = blockIdx.x * kChunk + threadIdx.x;
  const long at = static_cast<long>(blockIdx.y) * columns + c;
  const float sum = BlockScan(c < columns ? x[at] : 0.0f, warps);
  float before = 0;
  for (int chunk = 0; chunk < blockIdx.x; ++chunk) before += sums[blockIdx.y * gridDim.x + chunk];
  if (c < columns) y[at] = before + sum;
}

extern "C" void cumsum(const float* x, float* sums, float* y, int rows, int columns, cudaStream_t stream) {
  const dim3 grid((columns + kChunk - 1) / kChunk, rows);
  ChunkSums<<<grid, kChunk, 0, stream>>>(x, sums, columns);
  ScanChunks<<<grid, kChunk, 0, stream>>>(x, sums, y, columns);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="cumsum", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.cumsum.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int] * 2 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, columns = x.shape
        y, sums = torch.empty_like(x), x.new_empty(rows, (columns + 1023) // 1024)
        stream = torch.cuda.current_stream().cuda_stream
        LIBRARY.cumsum(x.data_ptr(), sums.data_ptr(), y.data_ptr(), rows, columns, stream)
        return y
