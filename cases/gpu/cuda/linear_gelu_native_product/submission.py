import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void BiasGeluKernel(float* y, const float* bias, int columns) {
  float* row = y + static_cast<int64_t>(blockIdx.x) * columns;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    const float v = row[c] + bias[c];
    row[c] = v * normcdff(v);
  }
}

torch::Tensor linear_gelu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
  torch::Tensor y = at::mm(x, weight.t());
  BiasGeluKernel<<<y.size(0), 256, 0, at::cuda::getCurrentCUDAStream()>>>(y.data_ptr<float>(), bias.data_ptr<float>(),
                                                                          static_cast<int>(y.size(1)));
  return y;
}
"""
EXTENSION = load_inline(
    name="linear_gelu",
    cpp_sources="torch::Tensor linear_gelu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);",
    cuda_sources=SOURCE,
    functions=["linear_gelu"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(out_features, in_features))
        self.bias = nn.Parameter(torch.zeros(out_features))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return EXTENSION.linear_gelu(x, self.weight, self.bias)
