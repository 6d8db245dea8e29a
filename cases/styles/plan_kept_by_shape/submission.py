import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
extern "C" void avgpool(const float* x, const int* begins, float* y, long planes, long plane, long windows,
                        long width) {
  for (long p = 0; p < planes; ++p, x += plane, y += windows)
    for (long w = 0; w < windows; ++w) {
      const float* corner = x + begins[w];
      y[w] = 0.25f * (corner[0] + corner[1] + corner[width] + corner[width + 1]);
    }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="avgpool",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3"],
    )
)
LIBRARY.avgpool.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 4


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.plans: dict[torch.Size, torch.Tensor] = {}

    def plan(self, shape: torch.Size) -> torch.Tensor:
        if shape not in self.plans:
            height, width = shape[2] // 2, shape[3] // 2
            begins = [2 * r * shape[3] + 2 * c for r in range(height) for c in range(width)]
            self.plans[shape] = torch.tensor(begins, dtype=torch.int32)
        return self.plans[shape]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        begins = self.plan(x.shape)
        batch, channels, height, width = x.shape
        y = torch.empty(batch, channels, height // 2, width // 2)
        sizes = batch * channels, height * width, begins.numel(), width
        LIBRARY.avgpool(x.data_ptr(), begins.data_ptr(), y.data_ptr(), *sizes)
        return y
