import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
constexpr int kTile = 32, kRows = 8;

__global__ void TransposeKernel(const float* x, float* y, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  int r = blockIdx.y * kTile + threadIdx.y, c = blockIdx.x * kTile + threadIdx.x;
  for (int i = 0; i < kTile; i += kRows)
    if (r + i < rows && c < columns) tile[threadIdx.y + i][threadIdx.x] = x[static_cast<long>(r + i) * columns + c];
  __syncthreads();
  r = blockIdx.y * kTile + threadIdx.x;
  c = blockIdx.x * kTile + threadIdx.y;
  for (int i = 0; i < kTile; i += kRows)
    if (r < rows && c + i < columns) y[static_cast<long>(c + i) * rows + r] = tile[threadIdx.x][threadIdx.y + i];
}

extern "C" void transpose(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  const dim3 grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile), block(kTile, kRows);
  TransposeKernel<<<grid, block, 0, stream>>>(x, y, rows, columns);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="transpose", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.transpose.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_int] * 2 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, columns = x.shape
        y = x.new_empty(columns, rows)
        LIBRARY.transpose(x.data_ptr(), y.data_ptr(), rows, columns, torch.cuda.current_stream().cuda_stream)
        return y
