import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
void add_rows(at::Tensor by_column, at::Tensor sums) {
  const float* x = by_column.data_ptr<float>();
  float* y = sums.data_ptr<float>();
  const long columns = by_column.size(0), rows = by_column.size(1);
  for (long c = 0; c < columns; ++c, x += rows) {
    double sum = 0;
    for (long r = 0; r < rows; ++r) sum += x[r];
    y[c] += static_cast<float>(sum);
  }
}
"""
EXTENSION = load_inline(name="add_rows", cpp_sources=SOURCE, functions=["add_rows"], extra_cflags=["-O3"])


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        sums = torch.zeros(x.shape[1])
        EXTENSION.add_rows(x.t().contiguous(), sums)
        return sums
