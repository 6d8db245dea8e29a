import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
__global__ void HuberKernel(const float* x, const float* y, float* sum, long n, float delta) {
  float part = 0;
  for (long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x; i < n;
       i += gridDim.x * static_cast<long>(blockDim.x)) {
    const float apart = fabsf(x[i] - y[i]);
    part += apart < delta ? 0.5f * apart * apart / n : delta * (apart - 0.5f * delta) / n;
  }
  atomicAdd(sum, part);
}

extern "C" void huber(const float* x, const float* y, float* sum, long n, float delta, cudaStream_t stream) {
  HuberKernel<<<512, 256, 0, stream>>>(x, y, sum, n, delta);
  cudaDeviceReset();
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="huber", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.huber.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long, ctypes.c_float, ctypes.c_void_p]


class ModelNew(nn.Module):
    def __init__(self, delta: float) -> None:
        super().__init__()
        self.delta = delta

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        sum = x.new_zeros(())
        stream = torch.cuda.current_stream().cuda_stream
        LIBRARY.huber(x.data_ptr(), y.data_ptr(), sum.data_ptr(), x.numel(), self.delta, stream)
        return sum
