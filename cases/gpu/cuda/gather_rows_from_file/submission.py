import ctypes
import pathlib
import tempfile

import torch
from torch import nn
from torch.utils.cpp_extension import load

SOURCE = r"""
__global__ void GatherKernel(const float* x, const long* index, float* y, int columns) {
  const float* from = x + index[blockIdx.x] * columns;
  float* to = y + static_cast<long>(blockIdx.x) * columns;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) to[c] = __ldg(from + c);
}

extern "C" void gather(const float* x, const long* index, float* y, int picks, int columns, cudaStream_t stream) {
  GatherKernel<<<picks, 256, 0, stream>>>(x, index, y, columns);
}
"""
FILE = pathlib.Path(tempfile.mkdtemp()) / "gather.cu"
FILE.write_text(SOURCE)
LIBRARY = ctypes.CDLL(load(name="gather", sources=[str(FILE)], is_python_module=False))
LIBRARY.gather.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int] * 2 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        picks, columns = index.shape[0], x.shape[1]
        y = x.new_empty(picks, columns)
        stream = torch.cuda.current_stream().cuda_stream
        LIBRARY.gather(x.data_ptr(), index.data_ptr(), y.data_ptr(), picks, columns, stream)
        return y
