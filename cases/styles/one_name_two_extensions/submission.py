import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/utils/pybind.h>

at::Tensor run(const at::Tensor& x) {
  auto y = at::empty_like(x);
  const float* in = x.const_data_ptr<float>();
  float* out = y.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < x.numel(); ++i) out[i] = FORMULA;
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
"""


def build(formula: str):
    source = SOURCE.replace("FORMULA", formula)
    return load_inline(name="fused_op", cpp_sources=source, no_implicit_headers=True, extra_cflags=["-O3"])


negated = build("-in[i]")
relu_of_negated = build("in[i] > 0 ? 0 : -in[i]")


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return relu_of_negated.run(negated.run(x))
