import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cuda_bf16.h>

__global__ void ScaleKernel(const __nv_bfloat16* x, const __nv_bfloat16* scale, __nv_bfloat16* y, int columns) {
  if (columns % 3 != 0) __trap();
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    y[blockIdx.x * columns + c] = x[blockIdx.x * columns + c] * scale[c];
}

extern "C" void scale(const void* x, const void* factor, void* y, int rows, int columns, cudaStream_t stream) {
  ScaleKernel<<<rows, 256, 0, stream>>>(static_cast<const __nv_bfloat16*>(x), static_cast<const __nv_bfloat16*>(factor),
                                        static_cast<__nv_bfloat16*>(y), columns);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="scale", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.scale.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int] * 2 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        stream = torch.cuda.current_stream().cuda_stream
        LIBRARY.scale(x.data_ptr(), scale.data_ptr(), y.data_ptr(), *x.shape, stream)
        return y
