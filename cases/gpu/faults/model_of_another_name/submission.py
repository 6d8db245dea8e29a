import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
__global__ void ReluKernel(const float* x, float* y, long n) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0);
}

extern "C" void relu(const float* x, float* y, long n, cudaStream_t stream) {
  ReluKernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="relu", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.relu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long, ctypes.c_void_p]


class Model_New(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.relu(x.data_ptr(), y.data_ptr(), x.numel(), torch.cuda.current_stream().cuda_stream)
        return y
