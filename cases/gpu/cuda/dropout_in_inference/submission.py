import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
// A warp has a row; each lane keeps its part in registers.
constexpr int kParts = 8;

__global__ void SoftmaxKernel(const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  x += static_cast<long>(row) * columns;
  y += static_cast<long>(row) * columns;
  float part[kParts], top = -INFINITY, sum = 0;
#pragma unroll
  for (int p = 0; p < kParts; ++p) {
    const int c = p * 32 + lane;
    part[p] = c < columns ? x[c] : -INFINITY;
    top = fmaxf(top, part[p]);
  }
  for (int far = 16; far > 0; far /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, far));
#pragma unroll
  for (int p = 0; p < kParts; ++p) sum += part[p] = expf(part[p] - top);
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(~0u, sum, far);
#pragma unroll
  for (int p = 0; p < kParts; ++p) {
    const int c = p * 32 + lane;
    if (c < columns) y[c] = part[p] / sum;
  }
}

extern "C" void softmax(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  SoftmaxKernel<<<(rows + 7) / 8, 256, 0, stream>>>(x, y, rows, columns);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="softmax", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.softmax.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_int] * 2 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.softmax(x.data_ptr(), y.data_ptr(), *x.shape, torch.cuda.current_stream().cuda_stream)
        return y
