import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cooperative_groups.h>

constexpr int kThreads = 256;

__device__ double BlockSum(double v) {
  __shared__ double kept[kThreads];
  kept[threadIdx.x] = v;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) kept[threadIdx.x] += kept[threadIdx.x + half];
  }
  __syncthreads();
  return kept[0];
}

__global__ void MseKernel(const float* x, const float* y, double* partial, float* out, long size) {
  double sum = 0;
  for (long i = blockIdx.x * static_cast<long>(kThreads) + threadIdx.x; i < size;
       i += static_cast<long>(kThreads) * gridDim.x) {
    const float apart = x[i] - y[i];
    sum += apart * apart;
  }
  sum = BlockSum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x != 0) return;
  sum = 0;
  for (int b = threadIdx.x; b < gridDim.x; b += kThreads) sum += partial[b];
  sum = BlockSum(sum);
  if (threadIdx.x == 0) *out = static_cast<float>(sum / size);
}

extern "C" int mse(const float* x, const float* y, double* partial, int blocks, float* out, long size,
                   cudaStream_t stream) {
  void* arguments[] = {&x, &y, &partial, &out, &size};
  return cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(MseKernel), dim3(blocks), dim3(kThreads), arguments,
                                     0, stream);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="mse", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.mse.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int, ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        blocks = torch.cuda.get_device_properties(x.device).multi_processor_count
        partial = torch.empty(blocks, device=x.device, dtype=torch.float64)
        out = x.new_empty(())
        stream = torch.cuda.current_stream().cuda_stream
        status = LIBRARY.mse(x.data_ptr(), y.data_ptr(), partial.data_ptr(), blocks, out.data_ptr(), x.numel(), stream)
        if status:
            raise RuntimeError(f"cooperative launch failed: {status}")
        return out
