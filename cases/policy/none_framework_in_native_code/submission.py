import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <ATen/core/Tensor.h>
#include <ATen/ops/mm.h>
#include <torch/csrc/utils/pybind.h>

#include <cmath>

at::Tensor linear_gelu(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  at::Tensor y = at::mm(x, weight.t());
  const float* b = bias.data_ptr<float>();
  float* row = y.data_ptr<float>();
  for (long r = 0; r < y.size(0); ++r, row += y.size(1))
    for (long c = 0; c < y.size(1); ++c) {
      const float value = row[c] + b[c];
      row[c] = 0.5f * value * (1.0f + std::erf(value * 0.70710678f));
    }
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("linear_gelu", &linear_gelu); }
"""
EXTENSION = load_inline(name="linear_gelu", cpp_sources=SOURCE, no_implicit_headers=True, extra_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(out_features, in_features))
        self.bias = nn.Parameter(torch.zeros(out_features))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return EXTENSION.linear_gelu(x, self.weight, self.bias)
