import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
constexpr int kThreads = 128;

/// Larger for larger values; of equal values, larger for the smaller index.
__device__ unsigned long long Key(float value, unsigned index) {
  const unsigned bits = __float_as_uint(value == 0 ? 0.0f : value);
  const unsigned ordered = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  return static_cast<unsigned long long>(ordered) << 32 | (0xffffffffu - index);
}

__global__ void ArgmaxKernel(const float* x, long* y, int columns) {
  __shared__ unsigned long long warps[kThreads / 32];
  const float* row = x + static_cast<long>(blockIdx.x) * columns;
  unsigned long long best = 0;
  for (int c = threadIdx.x; c < columns; c += kThreads) best = max(best, Key(row[c], c));
  for (int apart = 16; apart > 0; apart /= 2) best = max(best, __shfl_xor_sync(0xffffffffu, best, apart));
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = best;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < kThreads / 32; ++w) best = max(best, warps[w]);
  y[blockIdx.x] = 0xffffffffu - static_cast<unsigned>(best);
}

extern "C" void argmax(const float* x, long* y, int rows, int columns, cudaStream_t stream) {
  ArgmaxKernel<<<rows, kThreads, 0, stream>>>(x, y, columns);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="argmax", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.argmax.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_int] * 2 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty(x.shape[0], device=x.device, dtype=torch.int64)
        LIBRARY.argmax(x.data_ptr(), y.data_ptr(), *x.shape, torch.cuda.current_stream().cuda_stream)
        return y
