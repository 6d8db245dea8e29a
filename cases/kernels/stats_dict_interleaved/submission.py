import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void stats(const float* x, float* y, long rows, long columns) {
  for (long r = 0; r < rows; ++r, x += columns, y += 3) {
    float least = x[0], most = x[0];
    double sum = 0;
    for (long c = 0; c < columns; ++c) {
      least = x[c] < least ? x[c] : least;
      most = x[c] > most ? x[c] : most;
      sum += x[c];
    }
    y[0] = least, y[1] = most, y[2] = static_cast<float>(sum / columns);
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="stats",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3"],
    )
)
LIBRARY.stats.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        buffer = torch.empty(x.shape[0], 3)
        LIBRARY.stats(x.data_ptr(), buffer.data_ptr(), *x.shape)
        least, most, mean = buffer.unbind(dim=1)
        return {"min": least, "max": most, "mean": mean}
