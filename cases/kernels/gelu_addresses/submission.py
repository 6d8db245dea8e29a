import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <pybind11/pybind11.h>

#include <cmath>
#include <cstdint>

void gelu(std::uintptr_t x, std::uintptr_t y, std::int64_t n) {
  const auto* in = reinterpret_cast<const float*>(x);
  auto* out = reinterpret_cast<float*>(y);
  for (std::int64_t i = 0; i < n; ++i) out[i] = 0.5f * in[i] * (1.0f + std::erf(in[i] * 0.70710678f));
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("gelu", &gelu, pybind11::call_guard<pybind11::gil_scoped_release>()); }
"""
extension = load_inline(name="gelu", cpp_sources=SOURCE, no_implicit_headers=True, extra_cflags=["-O3"])


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        extension.gelu(x.data_ptr(), y.data_ptr(), x.numel())
        return y
