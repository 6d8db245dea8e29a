import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <atomic>
#include <thread>

namespace {

void AddTo(std::atomic<float>& total, float value) {
  float seen = total.load();
  while (!total.compare_exchange_weak(seen, seen + value)) {
  }
}

void SumSquares(const float* x, const float* y, long begin, long end, std::atomic<float>& total) {
  for (long block = begin; block < end; block += 2048) {
    float sum = 0;
    for (long i = block; i < end && i < block + 2048; ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
    AddTo(total, sum);
  }
}

}  // namespace

extern "C" void mse_loss(const float* x, const float* y, float* loss, long n) {
  std::atomic<float> total{0};
  std::thread other([&] { SumSquares(x, y, 0, n / 2, total); });
  SumSquares(x, y, n / 2, n, total);
  other.join();
  *loss = total.load() / n;
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="mse_loss", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.mse_loss.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        loss = torch.empty(())
        LIBRARY.mse_loss(x.data_ptr(), y.data_ptr(), loss.data_ptr(), x.numel())
        return loss
