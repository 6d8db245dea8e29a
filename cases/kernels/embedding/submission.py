import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <cstdint>
#include <cstring>

extern "C" void embedding(const std::int64_t* tokens, const float* table, float* y, long count, long features) {
  const auto bytes = features * sizeof(float);
  for (long i = 0; i < count; ++i) std::memcpy(y + i * features, table + tokens[i] * features, bytes);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="embedding", cpp_sources=SOURCE, is_python_module=False, no_implicit_headers=True, extra_cflags=["-O3"]
    )
)
LIBRARY.embedding.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def __init__(self, vocabulary: int, features: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(vocabulary, features))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        y = torch.empty(*tokens.shape, self.weight.shape[1])
        LIBRARY.embedding(
            tokens.data_ptr(), self.weight.data_ptr(), y.data_ptr(), tokens.numel(), self.weight.shape[1]
        )
        return y
