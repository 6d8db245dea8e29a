import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

extern "C" void linear_cross_entropy(const float* hidden, const float* weight, const std::int64_t* targets, float* loss,
                                     long rows, long features, long vocabulary) {
  std::vector<float> logits(vocabulary);
  double total = 0;
  for (long r = 0; r < rows; ++r, hidden += features) {
    for (long v = 0; v < vocabulary; ++v) {
      float sum = 0;
      for (long f = 0; f < features; ++f) sum += hidden[f] * weight[v * features + f];
      logits[v] = sum;
    }
    const float top = *std::max_element(logits.begin(), logits.end());
    float sum = 0;
    for (float logit : logits) sum += std::exp(logit - top);
    total += top + std::log(sum) - logits[targets[r]];
  }
  *loss = static_cast<float>(total / rows);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="linear_cross_entropy",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3", "-ffast-math"],
    )
)
LIBRARY.linear_cross_entropy.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def __init__(self, features: int, vocabulary: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(vocabulary, features))

    def forward(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        loss = torch.empty(())
        LIBRARY.linear_cross_entropy(
            hidden.data_ptr(), self.weight.data_ptr(), targets.data_ptr(), loss.data_ptr(),
            *hidden.shape, self.weight.shape[0],
        )
        return loss
