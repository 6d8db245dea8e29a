"""Right and slow: double precision, one thread, no vectors."""
import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>
#include <cstdint>

extern "C" void cross_entropy(const float* logits, const std::int64_t* targets, float* loss, long rows, long classes) {
  double total = 0;
  for (long r = 0; r < rows; ++r, logits += classes) {
    double top = logits[0], sum = 0;
    for (long c = 1; c < classes; ++c) top = std::fmax(top, logits[c]);
    for (long c = 0; c < classes; ++c) sum += std::exp(logits[c] - top);
    total += top + std::log(sum) - logits[targets[r]];
  }
  *loss = static_cast<float>(total / rows);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="cross_entropy", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O1"]
    )
)
LIBRARY.cross_entropy.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        loss = torch.empty(())
        LIBRARY.cross_entropy(logits.data_ptr(), targets.data_ptr(), loss.data_ptr(), *logits.shape)
        return loss
