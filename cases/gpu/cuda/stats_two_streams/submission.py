import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
constexpr int kThreads = 256;

struct Least {
  __device__ static float Join(float a, float b) { return fminf(a, b); }
};
struct Most {
  __device__ static float Join(float a, float b) { return fmaxf(a, b); }
};
struct Total {
  __device__ static float Join(float a, float b) { return a + b; }
};

template <typename Kind>
__global__ void ReduceKernel(const float* x, float* y, int columns, float start, float scale) {
  __shared__ float kept[kThreads];
  const float* row = x + static_cast<long>(blockIdx.x) * columns;
  float value = start;
  for (int c = threadIdx.x; c < columns; c += kThreads) value = Kind::Join(value, row[c]);
  kept[threadIdx.x] = value;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) kept[threadIdx.x] = Kind::Join(kept[threadIdx.x], kept[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) y[blockIdx.x] = kept[0] * scale;
}

extern "C" void stats(const float* x, float* least, float* most, float* mean, int rows, int columns,
                      cudaStream_t stream) {
  static cudaStream_t sides[2];
  static cudaEvent_t fork, joins[2];
  static const bool made = [] {
    cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
    for (int i = 0; i < 2; ++i) {
      cudaStreamCreateWithFlags(&sides[i], cudaStreamNonBlocking);
      cudaEventCreateWithFlags(&joins[i], cudaEventDisableTiming);
    }
    return true;
  }();
  static_cast<void>(made);
  cudaEventRecord(fork, stream);
  for (cudaStream_t side : sides) cudaStreamWaitEvent(side, fork, 0);
  ReduceKernel<Least><<<rows, kThreads, 0, sides[0]>>>(x, least, columns, INFINITY, 1.0f);
  ReduceKernel<Most><<<rows, kThreads, 0, sides[1]>>>(x, most, columns, -INFINITY, 1.0f);
  ReduceKernel<Total><<<rows, kThreads, 0, stream>>>(x, mean, columns, 0.0f, 1.0f / columns);
  for (int i = 0; i < 2; ++i) {
    cudaEventRecord(joins[i], sides[i]);
    cudaStreamWaitEvent(stream, joins[i], 0);
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="stats", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.stats.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_int] * 2 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        stats = {name: x.new_empty(x.shape[0]) for name in ("min", "max", "mean")}
        pointers = [tensor.data_ptr() for tensor in (x, *stats.values())]
        LIBRARY.stats(*pointers, *x.shape, torch.cuda.current_stream().cuda_stream)
        return stats
