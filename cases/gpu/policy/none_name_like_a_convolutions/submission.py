import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
__global__ void winograd_silu_kernel(const float* x, float* y, long n) {
  for (long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x; i < n;
       i += gridDim.x * static_cast<long>(blockDim.x))
    y[i] = x[i] / (1 + expf(-x[i]));
}

extern "C" void winograd_silu(const float* x, float* y, long n, cudaStream_t stream) {
  winograd_silu_kernel<<<2048, 256, 0, stream>>>(x, y, n);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="winograd_silu", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True
    )
)
LIBRARY.winograd_silu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long, ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.winograd_silu(x.data_ptr(), y.data_ptr(), x.numel(), torch.cuda.current_stream().cuda_stream)
        return y
