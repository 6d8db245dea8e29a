import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <algorithm>
#include <coroutine>
#include <exception>
#include <utility>

struct Tile {
  long first, last;
};

class Tiles {
 public:
  struct promise_type {
    Tile tile{};
    Tiles get_return_object() { return Tiles(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(Tile next) {
      tile = next;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  explicit Tiles(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Tiles(Tiles&& other) : handle_(std::exchange(other.handle_, nullptr)) {}
  ~Tiles() {
    if (handle_) handle_.destroy();
  }
  bool Next(Tile& tile) {
    handle_.resume();
    tile = handle_.promise().tile;
    return !handle_.done();
  }

 private:
  std::coroutine_handle<promise_type> handle_;
};

Tiles TilesOf(long rows, long height) {
  for (long row = 0; row < rows; row += height) co_yield Tile{row, std::min(rows, row + height)};
}

extern "C" void sum_rows(const float* x, float* y, long rows, long columns) {
  Tiles tiles = TilesOf(rows, 8);
  for (Tile tile{}; tiles.Next(tile);) {
    for (long r = tile.first; r < tile.last; ++r) {
      float lanes[16] = {};
      for (long c = 0; c + 16 <= columns; c += 16)
        for (int l = 0; l < 16; ++l) lanes[l] += x[r * columns + c + l];
      float sum = 0;
      for (long c = columns / 16 * 16; c < columns; ++c) sum += x[r * columns + c];
      for (float lane : lanes) sum += lane;
      y[r] = sum;
    }
  }
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="sum_rows",
        cpp_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
        extra_cflags=["-O3", "-std=c++20"],
    )
)
LIBRARY.sum_rows.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty(x.shape[0])
        LIBRARY.sum_rows(x.data_ptr(), y.data_ptr(), *x.shape)
        return y
