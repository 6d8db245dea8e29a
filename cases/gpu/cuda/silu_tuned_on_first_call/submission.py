import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>

__global__ void SiluKernel(const float* x, float* y, long n) {
  for (long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x; i < n;
       i += static_cast<long>(gridDim.x) * blockDim.x)
    y[i] = x[i] / (1.0f + expf(-x[i]));
}

static void Launch(const float* x, float* y, long n, int threads, cudaStream_t stream) {
  SiluKernel<<<static_cast<unsigned>((n + 4L * threads - 1) / (4L * threads)), threads, 0, stream>>>(x, y, n);
}

static int Fastest(const float* x, float* y, long n, cudaStream_t stream) {
  cudaEvent_t start, end;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  int best = 0;
  float least = INFINITY;
  for (const int threads : {128, 256, 512}) {
    Launch(x, y, n, threads, stream);
    cudaEventRecord(start, stream);
    for (int i = 0; i < 5; ++i) Launch(x, y, n, threads, stream);
    cudaEventRecord(end, stream);
    cudaEventSynchronize(end);
    float span = 0;
    cudaEventElapsedTime(&span, start, end);
    if (span < least) least = span, best = threads;
  }
  cudaEventDestroy(start);
  cudaEventDestroy(end);
  return best;
}

extern "C" void silu(const float* x, float* y, long n, cudaStream_t stream) {
  static const int threads = Fastest(x, y, n, stream);
  Launch(x, y, n, threads, stream);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="silu", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.silu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long, ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.silu(x.data_ptr(), y.data_ptr(), x.numel(), torch.cuda.current_stream().cuda_stream)
        return y
