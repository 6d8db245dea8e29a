import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void mean_and_var(const float* x, float* mean, float* var, long rows, long columns) {
  for (long r = 0; r < rows; ++r, x += columns) {
    double sum = 0, squares = 0;
    for (long c = 0; c < columns; ++c) sum += x[c];
    for (long c = 0; c < columns; ++c) squares += (x[c] - sum / columns) * (x[c] - sum / columns);
    mean[r] = static_cast<float>(sum / columns);
    var[r] = static_cast<float>(squares / (columns - 1));
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
    def __init__(self) -> None:
        super().__init__()
        self.workspace = torch.empty(0)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        rows = x.shape[0]
        if self.workspace.shape != (2, rows):
            self.workspace = torch.empty(2, rows)
        mean, var = self.workspace
        LIBRARY.mean_and_var(x.data_ptr(), mean.data_ptr(), var.data_ptr(), *x.shape)
        return mean, var
