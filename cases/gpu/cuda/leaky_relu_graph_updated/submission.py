import ctypes

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
__global__ void LeakyReluKernel(const float* x, float* y, long n, float slope) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = x[i] < 0 ? slope * x[i] : x[i];
}

extern "C" int leaky_relu(const float* x, float* y, long n, float slope, cudaStream_t stream) {
  static cudaGraph_t graph = nullptr;
  static cudaGraphNode_t node = nullptr;
  static cudaGraphExec_t exec = nullptr;
  void* arguments[] = {&x, &y, &n, &slope};
  cudaKernelNodeParams parameters = {};
  parameters.func = reinterpret_cast<void*>(LeakyReluKernel);
  parameters.gridDim = dim3(static_cast<unsigned>((n + 511) / 512));
  parameters.blockDim = dim3(512);
  parameters.kernelParams = arguments;
  if (exec == nullptr) {
    cudaGraphCreate(&graph, 0);
    cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters);
    cudaGraphInstantiateWithFlags(&exec, graph, 0);
  } else {
    cudaGraphExecKernelNodeSetParams(exec, node, &parameters);
  }
  return cudaGraphLaunch(exec, stream);
}
"""
LIBRARY = ctypes.CDLL(
    load_inline(
        name="leaky_relu",
        cpp_sources="",
        cuda_sources=SOURCE,
        is_python_module=False,
        no_implicit_headers=True,
    )
)
LIBRARY.leaky_relu.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long, ctypes.c_float, ctypes.c_void_p]


class ModelNew(nn.Module):
    def __init__(self, slope: float) -> None:
        super().__init__()
        self.slope = slope

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        stream = torch.cuda.current_stream().cuda_stream
        status = LIBRARY.leaky_relu(x.data_ptr(), y.data_ptr(), x.numel(), self.slope, stream)
        if status:
            raise RuntimeError(f"the graph was not launched: {status}")
        return y
