import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
constexpr int kThreads = 2048;

__global__ void MaxKernel(const float* x, float* y, int columns) {
  __shared__ float kept[kThreads];
  float best = -INFINITY;
  for (int c = threadIdx.x; c < columns; c += kThreads)
    best = fmaxf(best, x[static_cast<long>(blockIdx.x) * columns + c]);
  kept[threadIdx.x] = best;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kThreads; ++i) best = fmaxf(best, kept[i]);
  y[blockIdx.x] = best;
}

extern "C" const char* max_rows(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  MaxKernel<<<rows, kThreads, 0, stream>>>(x, y, columns);
  const cudaError_t status = cudaGetLastError();
  return status == cudaSuccess ? nullptr : cudaGetErrorString(status);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="max_rows", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.max_rows.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_int] * 2 + [ctypes.c_void_p]
LIBRARY.max_rows.restype = ctypes.c_char_p


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.new_empty(x.shape[0])
        problem = LIBRARY.max_rows(x.data_ptr(), y.data_ptr(), *x.shape, torch.cuda.current_stream().cuda_stream)
        if problem:
            raise RuntimeError(problem.decode())
        return y
