import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

DECLARATION = "torch::Tensor add_bias(torch::Tensor x, torch::Tensor bias);"
SOURCE = r"""
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <torch/extension.h>

__global__ void AddBiasKernel(const float* x, const float* bias, float* y, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  const float shift = bias[c];
  const long row = static_cast<long>(blockIdx.y) * 4;  // Streams four rows past each element of the bias.
  for (int r = 0; r < 4; ++r) y[(row + r) * columns + c] = x[(row + r) * columns + c] + shift;
}

torch::Tensor add_bias(torch::Tensor x, torch::Tensor bias) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous() && bias.is_contiguous(), "dense tensors on the card are expected");
  TORCH_CHECK(x.size(0) % 4 == 0, "a multiple of four rows is expected");
  torch::Tensor y = torch::empty_like(x);
  const int columns = static_cast<int>(x.size(1));
  const dim3 grid((columns + 255) / 256, static_cast<unsigned>(x.size(0) / 4));
  AddBiasKernel<<<grid, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), bias.data_ptr<float>(),
                                                                    y.data_ptr<float>(), columns);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""
EXTENSION = load_inline(name="add_bias", cpp_sources=DECLARATION, cuda_sources=SOURCE, functions=["add_bias"])


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return EXTENSION.add_bias(x, b)
