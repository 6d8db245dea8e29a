import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cmath>

extern "C" void batchnorm(const float* x, float* y, const float* weight, const float* bias, float* mean_out,
                          float* var_out, long batch, long channels, long size) {
  for (long c = 0; c < channels; ++c) {
    double sum = 0, squares = 0;
    const long count = batch * size;
    for (long b = 0; b < batch; ++b)
      for (long i = 0; i < size; ++i) sum += x[(b * channels + c) * size + i];
    const double mean = sum / count;
    for (long b = 0; b < batch; ++b)
      for (long i = 0; i < size; ++i) {
        const double off = x[(b * channels + c) * size + i] - mean;
        squares += off * off;
      }
    const double scale = 1 / std::sqrt(squares / count + 1e-5);
    for (long b = 0; b < batch; ++b)
      for (long i = 0; i < size; ++i) {
        const long at = (b * channels + c) * size + i;
        y[at] = static_cast<float>((x[at] - mean) * scale) * weight[c] + bias[c];
      }
    mean_out[c] = static_cast<float>(0.9 * mean_out[c] + 0.1 * mean);
    var_out[c] = static_cast<float>(0.9 * var_out[c] + 0.1 * squares / (count - 1));
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="batchnorm", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.batchnorm.argtypes = [ctypes.c_void_p] * 6 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        state = self.norm.weight, self.norm.bias, self.norm.running_mean, self.norm.running_var
        LIBRARY.batchnorm(x.data_ptr(), y.data_ptr(), *(t.data_ptr() for t in state), *x.shape)
        return y
