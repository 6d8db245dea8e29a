import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
__global__ void PartKernel(const float* x, float* y, long n) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = EXPRESSION;
}

extern "C" void part(const float* x, float* y, long n, cudaStream_t stream) {
  PartKernel<<<(n + 127) / 128, 128, 0, stream>>>(x, y, n);
}
"""


def built(expression: str) -> ctypes.CDLL:
    source = SOURCE.replace("EXPRESSION", expression)
    path = load_inline("part", cpp_sources="", cuda_sources=source, is_python_module=False, no_implicit_headers=True)
    library = ctypes.CDLL(path)
    library.part.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long, ctypes.c_void_p]
    return library


GATE, PRODUCT = built("1 / (1 + expf(-x[i]))"), built("x[i] * y[i]")


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        for library in (GATE, PRODUCT):
            library.part(x.data_ptr(), y.data_ptr(), x.numel(), torch.cuda.current_stream().cuda_stream)
        return y
