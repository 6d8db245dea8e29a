import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
__global__ void ReluKernel(const float* x, float* y, long n, volatile int* ready) {
  while (*ready == 0) {
  }
  for (long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x; i < n;
       i += gridDim.x * static_cast<long>(blockDim.x))
    y[i] = fmaxf(x[i], 0);
}

extern "C" void relu(const float* x, float* y, long n, int* ready, cudaStream_t stream) {
  ReluKernel<<<256, 256, 0, stream>>>(x, y, n, ready);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="relu", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.relu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] + [ctypes.c_void_p] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        ready = torch.zeros(1, device=x.device, dtype=torch.int32)
        stream = torch.cuda.current_stream().cuda_stream
        LIBRARY.relu(x.data_ptr(), y.data_ptr(), x.numel(), ready.data_ptr(), stream)
        return y
