import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void mean_and_var(const float* x, float* means, float* variances, long rows, long columns) {
  for (long r = 0; r < rows; ++r, x += columns) {
    double sum = 0, squares = 0;
    for (long c = 0; c < columns; ++c) sum += x[c];
    const double mean = sum / columns;
    for (long c = 0; c < columns; ++c) squares += (x[c] - mean) * (x[c] - mean);
    means[r] = static_cast<float>(mean);
    variances[r] = static_cast<float>(squares / columns);
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="mean_and_var", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.mean_and_var.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        mean, variance = torch.empty(x.shape[0]), torch.empty(x.shape[0])
        LIBRARY.mean_and_var(x.data_ptr(), mean.data_ptr(), variance.data_ptr(), *x.shape)
        return mean, variance
