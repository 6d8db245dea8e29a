import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <map>
#include <utility>

template <int kThreads, int kEach>
__global__ void L2NormKernel(const float* x, float* y, int columns) {
  __shared__ float kept[kThreads / 32];
  const long at = static_cast<long>(blockIdx.x) * columns;
  float mine[kEach], squares = 0;
  for (int i = 0; i < kEach; ++i) {
    const int c = i * kThreads + threadIdx.x;
    mine[i] = c < columns ? x[at + c] : 0;
    squares += mine[i] * mine[i];
  }
  for (int apart = 16; apart > 0; apart /= 2) squares += __shfl_xor_sync(0xFFFFFFFF, squares, apart);
  if (threadIdx.x % 32 == 0) kept[threadIdx.x / 32] = squares;
  __syncthreads();
  squares = 0;
  for (int w = 0; w < kThreads / 32; ++w) squares += kept[w];
  const float length = sqrtf(squares);
  for (int i = 0; i < kEach; ++i) {
    const int c = i * kThreads + threadIdx.x;
    if (c < columns) y[at + c] = mine[i] / length;
  }
}

struct Plan {
  void (*kernel)(const float*, float*, int);
  int threads;
};

static Plan PlanOf(int columns) {
  if (columns <= 128 * 8) return {L2NormKernel<128, 8>, 128};
  if (columns <= 256 * 16) return {L2NormKernel<256, 16>, 256};
  return {L2NormKernel<1024, 16>, 1024};
}

extern "C" int l2norm(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  static std::map<std::pair<int, int>, Plan> plans;
  const auto [found, fresh] = plans.try_emplace({rows, columns}, Plan{});
  if (fresh) found->second = PlanOf(columns);
  if (columns > 1024 * 16) return 1;
  found->second.kernel<<<rows, found->second.threads, 0, stream>>>(x, y, columns);
  return 0;
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="l2norm", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.l2norm.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_int] * 2 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        stream = torch.cuda.current_stream().cuda_stream
        if LIBRARY.l2norm(x.data_ptr(), y.data_ptr(), *x.shape, stream):
            raise ValueError(f"{x.shape[1]} columns are more than the 16384 that this kernel takes")
        return y
