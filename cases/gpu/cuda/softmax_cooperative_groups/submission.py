import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

constexpr int kThreads = 512;

template <typename Operator>
__device__ float BlockReduce(cg::thread_block block, float value, float neutral, Operator op, float* scratch) {
  const auto warp = cg::tiled_partition<32>(block);
  value = cg::reduce(warp, value, op);
  if (warp.thread_rank() == 0) scratch[block.thread_rank() / 32] = value;
  block.sync();
  value = warp.thread_rank() < kThreads / 32 ? scratch[warp.thread_rank()] : neutral;
  value = cg::reduce(warp, value, op);
  block.sync();
  return value;
}

__global__ void SoftmaxKernel(const float* x, float* y, int columns) {
  __shared__ float scratch[kThreads / 32];
  const cg::thread_block block = cg::this_thread_block();
  x += static_cast<long>(blockIdx.x) * columns;
  y += static_cast<long>(blockIdx.x) * columns;
  float top = -INFINITY, sum = 0;
  for (int c = threadIdx.x; c < columns; c += kThreads) top = fmaxf(top, x[c]);
  top = BlockReduce(block, top, -INFINITY, cg::greater<float>(), scratch);
  for (int c = threadIdx.x; c < columns; c += kThreads) sum += y[c] = expf(x[c] - top);
  sum = BlockReduce(block, sum, 0.0f, cg::plus<float>(), scratch);
  for (int c = threadIdx.x; c < columns; c += kThreads) y[c] /= sum;
}

extern "C" void softmax(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  SoftmaxKernel<<<rows, kThreads, 0, stream>>>(x, y, columns);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="softmax", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.softmax.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_int] * 2 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        LIBRARY.softmax(x.data_ptr(), y.data_ptr(), *x.shape, torch.cuda.current_stream().cuda_stream)
        return y
