import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

MEAN = r"""
extern "C" void mean(const float* x, float* y, long rows, long columns) {
  for (long r = 0; r < rows; ++r) {
    double sum = 0;
    for (long c = 0; c < columns; ++c) sum += x[r * columns + c];
    y[r] = static_cast<float>(sum / columns);
  }
}
"""
VARIANCE = r"""
extern "C" void variance(const float* x, const float* mean, float* y, long rows, long columns) {
  for (long r = 0; r < rows; ++r) {
    double sum = 0;
    for (long c = 0; c < columns; ++c) sum += (x[r * columns + c] - mean[r]) * (x[r * columns + c] - mean[r]);
    y[r] = static_cast<float>(sum / (columns - 1));
  }
}
"""


def build(name: str, source: str) -> ctypes.CDLL:
    return ctypes.CDLL(
        load_inline(name, source, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"])
    )


MEANS, VARIANCES = build("mean", MEAN), build("variance", VARIANCE)
MEANS.mean.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2
VARIANCES.variance.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        mean, variance = torch.empty(x.shape[0]), torch.empty(x.shape[0])
        MEANS.mean(x.data_ptr(), mean.data_ptr(), *x.shape)
        VARIANCES.variance(x.data_ptr(), mean.data_ptr(), variance.data_ptr(), *x.shape)
        return mean, variance
