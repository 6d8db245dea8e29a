#include "gpu_kernels.h"

namespace kgym::bench {
namespace {

constexpr int kSmall = 1 << 16;
// A CPU lane is for trying a bench out: its sizes are this much smaller.
constexpr int kCpuShare = 64;

constexpr const char* kProblem = R"("""Leaky ReLU of a vector, once or several times over."""
import torch
from torch import nn

n, passes = 65536, 1


class Model(nn.Module):
    def __init__(self, passes):
        super().__init__()
        self.passes = passes

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for _ in range(self.passes):
            x = nn.functional.leaky_relu(x, 0.9)
        return x


def get_inputs():
    return [torch.randn(n)]


def get_init_inputs():
    return [passes]
)";

constexpr const char* kTriton = R"(import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def leaky_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n)
    tl.store(y + at, tl.where(value > 0, value, 0.9 * value), mask=at < n)


class ModelNew(nn.Module):
    def __init__(self, passes):
        super().__init__()
        self.passes = passes

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for _ in range(self.passes):
            y = torch.empty_like(x)
            leaky_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
            x = y
        return x
)";

constexpr const char* kCpp = R"(import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = '''
extern "C" void leaky(const float* x, float* y, long n) { for (long i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : 0.9f * x[i]; }
'''
LIBRARY = ctypes.CDLL(
    load_inline("leaky", SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"])
)
LIBRARY.leaky.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long]


class ModelNew(nn.Module):
    def __init__(self, passes):
        super().__init__()
        self.passes = passes

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for _ in range(self.passes):
            y = torch.empty_like(x)
            LIBRARY.leaky(x.data_ptr(), y.data_ptr(), x.numel())
            x = y
        return x
)";

std::string NamedAsSubmission(std::string source) {
  const std::string from = "class Model(", to = "class ModelNew(";
  return source.replace(source.find(from), from.size(), to);
}

}  // namespace

const std::vector<KernelSize>& KernelSizes() {
  static const std::vector<KernelSize> sizes = {{"10us", 2'200'000, 1, 3},
                                                {"20us", 5'500'000, 1, 3},
                                                {"50us", 16'000'000, 1, 1},
                                                {"100us", 33'000'000, 1, 1},
                                                {"300us", 33'000'000, 3, 1}};
  return sizes;
}

Item KernelOf(const KernelSize& size, const judge::JudgeConfig& config) {
  Item item;
  item.name = "leaky_relu " + size.name;
  item.problem.name = item.name;
  item.problem.source = kProblem;
  item.problem.workload = "default";
  item.problem.sizes = {{"n", config.on_gpu() ? size.n : std::max(1, size.n / kCpuShare)}, {"passes", size.passes}};
  item.submission.name = item.name;
  item.submission.source = config.on_gpu() ? kTriton : kCpp;
  item.submission.backend = config.on_gpu() ? "triton" : "cpp";
  item.config = config;
  item.expect = {"ok"};
  return item;
}

Item SmallKernel(const judge::JudgeConfig& config) {
  return KernelOf({.name = "small", .n = kSmall, .passes = 1}, config);
}

Item ReferenceAgain(const KernelSize& size, const judge::JudgeConfig& config) {
  Item item = KernelOf(size, config);
  item.name += " against itself";
  item.submission.source = NamedAsSubmission(kProblem);
  item.config.require_custom_kernel = false;
  return item;
}

}  // namespace kgym::bench
