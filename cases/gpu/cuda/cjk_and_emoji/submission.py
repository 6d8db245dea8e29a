import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
// 高斯误差线性单元 🚀: 每个线程一个元素
__global__ void GeluKernel(const float* x, float* y, long n) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = 0.5f * x[i] * (1 + erff(x[i] * 0.70710678f));  // 😀
}

extern "C" void gelu(const float* x, float* y, long n, cudaStream_t stream) {
  GeluKernel<<<(n + 511) / 512, 512, 0, stream>>>(x, y, n);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="gelu", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.gelu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long, ctypes.c_void_p]


# 入口 ✨
class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.gelu(x.data_ptr(), y.data_ptr(), x.numel(), torch.cuda.current_stream().cuda_stream)
        return y
