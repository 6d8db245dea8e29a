import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
__global__ void FusedKernel(const float* x, const float* b, float* y, int columns, long n) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = x[i] - b[i % columns];
}

extern "C" void fused_op(const float* x, const float* b, float* y, int columns, long n, cudaStream_t stream) {
  FusedKernel<<<(n + 255) / 256, 256, 0, stream>>>(x, b, y, columns, n);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="fused_op", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.fused_op.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int, ctypes.c_long, ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        stream = torch.cuda.current_stream().cuda_stream
        LIBRARY.fused_op(x.data_ptr(), b.data_ptr(), y.data_ptr(), x.shape[1], x.numel(), stream)
        return y
