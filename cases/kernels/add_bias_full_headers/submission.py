import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
torch::Tensor add_bias(torch::Tensor x, torch::Tensor b) {
  TORCH_CHECK(x.is_contiguous() && b.is_contiguous(), "contiguous tensors are expected");
  auto y = torch::empty_like(x);
  const auto rows = x.size(0), columns = x.size(1);
  const float* in = x.data_ptr<float>();
  const float* bias = b.data_ptr<float>();
  float* out = y.data_ptr<float>();
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) out[r * columns + c] = in[r * columns + c] + bias[c];
  return y;
}
"""
extension = load_inline(name="add_bias", cpp_sources=SOURCE, functions=["add_bias"], extra_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.add_bias = extension.add_bias

    def forward(self, x, b):
        return self.add_bias(x, b)
