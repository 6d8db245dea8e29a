import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
__device__ float Relu(float v) { return v > 0 ? v : 0; }

__global__ void ReluKernel(const float* x, float* y, long n) {
  const long at = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (at < n / 4) {
    const float4 v = reinterpret_cast<const float4*>(x)[at];
    reinterpret_cast<float4*>(y)[at] = make_float4(Relu(v.x), Relu(v.y), Relu(v.z), Relu(v.w));
  }
  if (at < n % 4) y[n / 4 * 4 + at] = Relu(x[n / 4 * 4 + at]);
}

extern "C" int relu(const float* x, float* y, long n, cudaStream_t stream) {
  const long threads = n / 4 > 4 ? n / 4 : 4;
  ReluKernel<<<(threads + 255) / 256, 256, 0, stream>>>(x, y, n);
  return cudaGetLastError();
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="relu", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.relu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long, ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        status = LIBRARY.relu(x.data_ptr(), y.data_ptr(), x.numel(), torch.cuda.current_stream().cuda_stream)
        if status:
            raise RuntimeError(f"launch failed: {status}")
        return y
