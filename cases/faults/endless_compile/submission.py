import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
constexpr long Spin() {
  long sum = 0;
  for (long i = 0; i < 1000000; ++i)
    for (long j = 0; j < 1000000; ++j) sum ^= i + j;
  return sum;
}
static_assert(Spin() >= 0);
"""
load_inline(
    name="spin",
    cpp_sources=SOURCE,
    is_python_module=False,
    no_implicit_headers=True,
    extra_cflags=["-std=c++20", "-fconstexpr-loop-limit=2147483647", "-fconstexpr-ops-limit=1000000000000"],
)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x)
