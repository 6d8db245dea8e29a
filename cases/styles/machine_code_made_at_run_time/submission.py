import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <sys/mman.h>

#include <cstring>

namespace {
// xorps xmm0, xmm0; again: movups xmm1, [rdi]; maxps xmm1, xmm0; movups [rsi], xmm1; add rdi, 16; add rsi, 16; dec rdx;
// jnz again; ret.
constexpr unsigned char kLoop[] = {0x0f, 0x57, 0xc0, 0x0f, 0x10, 0x0f, 0x0f, 0x5f, 0xc8, 0x0f, 0x11, 0x0e, 0x48,
                                   0x83, 0xc7, 0x10, 0x48, 0x83, 0xc6, 0x10, 0x48, 0xff, 0xca, 0x75, 0xea, 0xc3};
using Loop = void (*)(const float*, float*, long);

Loop Assemble() {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  std::memcpy(page, kLoop, sizeof kLoop);
  return mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0 ? reinterpret_cast<Loop>(page) : nullptr;
}
}  // namespace

extern "C" int relu(const float* x, float* y, long n) {
  static const Loop loop = Assemble();
  if (loop == nullptr) return 1;
  if (n >= 4) loop(x, y, n / 4);
  for (long i = n / 4 * 4; i < n; ++i) y[i] = x[i] < 0 ? 0 : x[i];
  return 0;
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(name="relu", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"])
)
LIBRARY.relu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        if LIBRARY.relu(x.data_ptr(), y.data_ptr(), x.numel()):
            raise RuntimeError("no memory may be made executable")
        return y
