import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
__device__ float Leaky(float v, float slope) { return v < 0 ? slope * v : v; }

__global__ void LeakyKernel(const float* x, float* y, int columns, float slope) {
  const float4* from = reinterpret_cast<const float4*>(x + static_cast<long>(blockIdx.x) * columns);
  float4* to = reinterpret_cast<float4*>(y + static_cast<long>(blockIdx.x) * columns);
  for (int c = threadIdx.x; c < columns / 4; c += blockDim.x) {
    const float4 v = from[c];
    to[c] = make_float4(Leaky(v.x, slope), Leaky(v.y, slope), Leaky(v.z, slope), Leaky(v.w, slope));
  }
}

extern "C" void leaky(const float* x, float* y, int rows, int columns, float slope, cudaStream_t stream) {
  LeakyKernel<<<rows, 256, 0, stream>>>(x, y, columns, slope);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="leaky", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.leaky.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_int] * 2 + [ctypes.c_float, ctypes.c_void_p]


class ModelNew(nn.Module):
    def __init__(self, slope: float) -> None:
        super().__init__()
        self.slope = slope

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.leaky(x.data_ptr(), y.data_ptr(), *x.shape, self.slope, torch.cuda.current_stream().cuda_stream)
        return y
