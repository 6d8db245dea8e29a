import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
__global__ void AddKernel(float* x, const float* y, long n) {
  const long at = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (at < n / 4) {
    float4 a = reinterpret_cast<float4*>(x)[at];
    const float4 b = __ldg(reinterpret_cast<const float4*>(y) + at);
    a.x += b.x, a.y += b.y, a.z += b.z, a.w += b.w;
    reinterpret_cast<float4*>(x)[at] = a;
  }
  if (at < n % 4) x[n / 4 * 4 + at] += y[n / 4 * 4 + at];
}

extern "C" void add_inplace(float* x, const float* y, long n, cudaStream_t stream) {
  const long threads = n / 4 > 4 ? n / 4 : 4;
  AddKernel<<<static_cast<unsigned>((threads + 255) / 256), 256, 0, stream>>>(x, y, n);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="add_inplace",
        cpp_sources="",
        cuda_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
    )
)
LIBRARY.add_inplace.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long, ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        LIBRARY.add_inplace(x.data_ptr(), y.data_ptr(), x.numel(), torch.cuda.current_stream().cuda_stream)
        return x
