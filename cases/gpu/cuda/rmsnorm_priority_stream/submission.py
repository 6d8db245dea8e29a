import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
constexpr int kThreads = 256;

__global__ void RmsNormKernel(const float* x, const float* weight, float* y, int columns) {
  __shared__ float kept[kThreads];
  const long at = static_cast<long>(blockIdx.x) * columns;
  float squares = 0;
  for (int c = threadIdx.x; c < columns; c += kThreads) squares += x[at + c] * x[at + c];
  kept[threadIdx.x] = squares;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) kept[threadIdx.x] += kept[threadIdx.x + half];
  }
  __syncthreads();
  const float scale = 1.0f / sqrtf(kept[0] / columns + 1e-6f);
  for (int c = threadIdx.x; c < columns; c += kThreads) y[at + c] = x[at + c] * scale * weight[c];
}

extern "C" void rmsnorm(const float* x, const float* weight, float* y, int rows, int columns, cudaStream_t stream) {
  static cudaStream_t side = nullptr;
  static cudaEvent_t fork, join;
  if (side == nullptr) {
    int least = 0, most = 0;
    cudaDeviceGetStreamPriorityRange(&least, &most);
    cudaStreamCreateWithPriority(&side, cudaStreamNonBlocking, most);
    cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
  }
  const int half = rows / 2;
  const long at = static_cast<long>(half) * columns;
  cudaEventRecord(fork, stream);
  cudaStreamWaitEvent(side, fork, 0);
  RmsNormKernel<<<half, kThreads, 0, stream>>>(x, weight, y, columns);
  RmsNormKernel<<<rows - half, kThreads, 0, side>>>(x + at, weight, y + at, columns);
  cudaEventRecord(join, side);
  cudaStreamWaitEvent(stream, join, 0);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="rmsnorm", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.rmsnorm.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int] * 2 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def __init__(self, cols: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(cols))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        pointers = x.data_ptr(), self.weight.data_ptr(), y.data_ptr()
        LIBRARY.rmsnorm(*pointers, *x.shape, torch.cuda.current_stream().cuda_stream)
        return y
