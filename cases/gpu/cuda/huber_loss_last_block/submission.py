import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
constexpr int kThreads = 256, kBlocks = 1024;

__device__ unsigned int ticket = 0;

__device__ double BlockSum(double value, double* kept) {
  kept[threadIdx.x] = value;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) kept[threadIdx.x] += kept[threadIdx.x + half];
  }
  __syncthreads();
  return kept[0];
}

__global__ void HuberKernel(const float* x, const float* y, double* parts, float* loss, long n, float delta) {
  __shared__ double kept[kThreads];
  __shared__ bool last;
  float sum = 0;
  for (long i = blockIdx.x * static_cast<long>(kThreads) + threadIdx.x; i < n;
       i += static_cast<long>(kBlocks) * kThreads) {
    const float apart = fabsf(x[i] - y[i]);
    sum += apart < delta ? 0.5f * apart * apart : delta * (apart - 0.5f * delta);
  }
  const double mine = BlockSum(sum, kept);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = mine;
    __threadfence();
    last = atomicAdd(&ticket, 1) == kBlocks - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  double total = 0;
  for (int i = threadIdx.x; i < kBlocks; i += kThreads) total += static_cast<volatile double*>(parts)[i];
  __syncthreads();
  total = BlockSum(total, kept);
  if (threadIdx.x == 0) {
    *loss = static_cast<float>(total / n);
    ticket = 0;
  }
}

extern "C" void huber(const float* x, const float* y, double* parts, float* loss, long n, float delta,
                      cudaStream_t stream) {
  HuberKernel<<<kBlocks, kThreads, 0, stream>>>(x, y, parts, loss, n, delta);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="huber", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.huber.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long, ctypes.c_float, ctypes.c_void_p]


class ModelNew(nn.Module):
    def __init__(self, delta: float) -> None:
        super().__init__()
        self.delta = delta

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        parts, loss = torch.empty(1024, dtype=torch.float64, device=x.device), x.new_empty(())
        pointers = [t.data_ptr() for t in (x, y, parts, loss)]
        LIBRARY.huber(*pointers, x.numel(), self.delta, torch.cuda.current_stream().cuda_stream)
        return loss
