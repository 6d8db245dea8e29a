import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cuda_bf16.h>

constexpr int kColumns = 4;  // Tiles of eight outputs that a warp makes beside each other.

__device__ void Multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ unsigned Pair(const __nv_bfloat16* at) { return *reinterpret_cast<const unsigned*>(at); }

/// A warp makes 16 rows by 8 * kColumns outputs. Rows, outputs and depth are multiples of 16, 32 and 16.
__global__ void LinearKernel(const __nv_bfloat16* x, const __nv_bfloat16* weight, __nv_bfloat16* y, int rows, int depth,
                             int outputs) {
  const int warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  const int across = outputs / (8 * kColumns);
  const int r = warp / across * 16 + lane / 4, o = warp % across * 8 * kColumns + lane / 4, p = lane % 4 * 2;
  if (warp / across * 16 >= rows) return;
  float sums[kColumns][4] = {};
  for (int start = 0; start < depth; start += 16) {
    const __nv_bfloat16* left = x + static_cast<long>(r) * depth + start + p;
    const unsigned a[4] = {Pair(left), Pair(left + 8L * depth), Pair(left + 8), Pair(left + 8L * depth + 8)};
#pragma unroll
    for (int tile = 0; tile < kColumns; ++tile) {
      const __nv_bfloat16* right = weight + static_cast<long>(o + 8 * tile) * depth + start + p;
      const unsigned b[2] = {Pair(right), Pair(right + 8)};
      Multiply(sums[tile], a, b);
    }
  }
  const int column = warp % across * 8 * kColumns + p;
  for (int tile = 0; tile < kColumns; ++tile)
    for (int i = 0; i < 4; ++i)
      y[static_cast<long>(r + i / 2 * 8) * outputs + column + 8 * tile + i % 2] = __float2bfloat16(sums[tile][i]);
}

extern "C" int linear(const void* x, const void* weight, void* y, int rows, int depth, int outputs,
                      cudaStream_t stream) {
  if (rows % 16 != 0 || outputs % (8 * kColumns) != 0 || depth % 16 != 0) return cudaErrorInvalidValue;
  const int warps = rows / 16 * (outputs / (8 * kColumns));
  LinearKernel<<<(warps + 3) / 4, 128, 0, stream>>>(static_cast<const __nv_bfloat16*>(x),
                                                    static_cast<const __nv_bfloat16*>(weight),
                                                    static_cast<__nv_bfloat16*>(y), rows, depth, outputs);
  return cudaGetLastError();
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="linear", cpp_sources="", cuda_sources=SOURCE, is_python_module=False, no_implicit_headers=True)
)
LIBRARY.linear.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int] * 3 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(outputs, inputs, dtype=torch.bfloat16))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.new_empty(x.shape[0], self.weight.shape[0])
        stream = torch.cuda.current_stream().cuda_stream
        pointers = (x.data_ptr(), self.weight.data_ptr(), y.data_ptr())
        if LIBRARY.linear(*pointers, *x.shape, y.shape[1], stream) != 0:
            raise RuntimeError("the launch failed")
        return y
