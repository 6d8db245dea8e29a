import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cstdio>

/// A thread an output; both rows of its window are read as pairs. Widths are even.
__global__ void PoolKernel(const float* x, float* y, int width, long outputs) {
  const long o = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (o == 0) printf("pooling %ld outputs\n", outputs);
  if (o >= outputs) return;
  const long row = o / (width / 2), column = o % (width / 2);
  const float2* window = reinterpret_cast<const float2*>(x + row * 2 * width) + column;
  const float2 top = window[0], bottom = window[width / 2];
  y[o] = 0.25f * ((top.x + top.y) + (bottom.x + bottom.y));
}

extern "C" void pool(const float* x, float* y, int width, long outputs, cudaStream_t stream) {
  PoolKernel<<<(outputs + 255) / 256, 256, 0, stream>>>(x, y, width, outputs);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="pool", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.pool.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_int, ctypes.c_long, ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, channels, height, width = x.shape
        y = x.new_empty(batch, channels, height // 2, width // 2)
        LIBRARY.pool(x.data_ptr(), y.data_ptr(), width, y.numel(), torch.cuda.current_stream().cuda_stream)
        return y
