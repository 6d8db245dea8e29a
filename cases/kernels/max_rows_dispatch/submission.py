import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CPP_SOURCE = r"""
#include <torch/extension.h>

#include <algorithm>

torch::Tensor max_rows(const torch::Tensor& x) {
  TORCH_CHECK(x.dim() == 2, "a matrix is expected, got ", x.dim(), " dimensions");
  auto y = torch::empty({x.size(0)}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "max_rows", [&] {
    auto in = x.accessor<scalar_t, 2>();
    auto out = y.accessor<scalar_t, 1>();
    for (int64_t r = 0; r < in.size(0); ++r) {
      scalar_t top = in[r][0];
      for (int64_t c = 1; c < in.size(1); ++c) top = std::max(top, in[r][c]);
      out[r] = top;
    }
  });
  return y;
}
"""
max_rows_module = load_inline(
    name="max_rows_module", cpp_sources=[CPP_SOURCE], functions=["max_rows"], extra_cflags=["-O2"], verbose=False
)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return max_rows_module.max_rows(x)
