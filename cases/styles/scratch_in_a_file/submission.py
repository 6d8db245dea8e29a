import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {
int file = -1;
double* scratch = nullptr;
long room = 0;

bool Grow(long columns) {
  if (file < 0) {
    file = open("/tmp/scratch", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    unlink("/tmp/scratch");
  }
  if (columns <= room) return true;
  if (scratch != nullptr) munmap(scratch, room * sizeof(double));
  if (ftruncate(file, columns * sizeof(double)) != 0) return false;
  void* mapped = mmap(nullptr, columns * sizeof(double), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) return false;
  scratch = static_cast<double*>(mapped);
  room = columns;
  return true;
}
}  // namespace

extern "C" int suffix_sum(const float* x, float* y, long rows, long columns) {
  if (!Grow(columns)) return 1;
  for (long r = 0; r < rows; ++r, x += columns, y += columns) {
    double sum = 0;
    for (long c = columns - 1; c >= 0; --c) scratch[c] = sum, sum += x[c];
    for (long c = 0; c < columns; ++c) y[c] = static_cast<float>(scratch[c]);
  }
  return 0;
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="suffix", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.suffix_sum.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        if LIBRARY.suffix_sum(x.data_ptr(), y.data_ptr(), *x.shape):
            raise RuntimeError("no room for scratch memory")
        return y
