import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
constexpr int kThreads = 1024;

__global__ void SuffixKernel(const float* x, float* y, int columns) {
  __shared__ volatile float kept[kThreads];
  const long row = static_cast<long>(blockIdx.x) * columns;
  float carried = 0;
  for (int end = columns; end > 0; end -= kThreads) {
    const int c = end - kThreads + static_cast<int>(threadIdx.x);
    kept[threadIdx.x] = c >= 0 ? x[row + c] : 0.0f;
    for (int apart = 1; apart < kThreads; apart *= 2)
      if (threadIdx.x + apart < kThreads) kept[threadIdx.x] = kept[threadIdx.x] + kept[threadIdx.x + apart];
    if (c >= 0) y[row + c] = carried + (threadIdx.x + 1 < kThreads ? kept[threadIdx.x + 1] : 0.0f);
    carried += kept[0];
  }
}

extern "C" void suffix(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  SuffixKernel<<<rows, kThreads, 0, stream>>>(x, y, columns);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="suffix", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.suffix.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_int] * 2 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.suffix(x.data_ptr(), y.data_ptr(), *x.shape, torch.cuda.current_stream().cuda_stream)
        return y
