import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <torch/library.h>

#include <cmath>

at::Tensor formula(const at::Tensor& x) {
  auto y = at::empty_like(x);
  const float* in = x.const_data_ptr<float>();
  float* out = y.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    const float v = in[i];
    const float softplus = v > 20 ? v : std::log1p(std::exp(v));
    out[i] = v * std::tanh(softplus) + 0.25f * std::sin(5 * v) * std::exp(-v * v);
  }
  return y;
}
TORCH_LIBRARY(own_formula, m) {
  m.def("formula(Tensor x) -> Tensor");
  m.impl("formula", c10::DispatchKey::CPU, TORCH_FN(formula));
}
"""
load_inline(
    name="own_formula", cpp_sources=SOURCE, no_implicit_headers=True, is_python_module=False, extra_cflags=["-O2"]
)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.ops.own_formula.formula(x)
