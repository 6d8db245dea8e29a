import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <pybind11/pybind11.h>

#include <stdexcept>

void relu(std::uintptr_t, std::uintptr_t, long) { throw std::invalid_argument("sizes must be multiples of 3"); }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("relu", &relu); }
"""
extension = load_inline(name="relu", cpp_sources=SOURCE, no_implicit_headers=True)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        extension.relu(x.data_ptr(), y.data_ptr(), x.numel())
        return y
