"""Backend `cuda`: CUDA extensions through `load_inline` and `load`, and raw `.cu` with a C entry point through ctypes.

As backend `cpp`, with nvcc beside g++: built in a host without a GPU, taken from the cache in a candidate host. A submission may bring Triton kernels as
well; they count as its own.
"""
from __future__ import annotations

import importlib.util

from . import Backend, CompileError, Context, cpp, cpp_build, cuda_build, cuda_toolkit
from .cpp_build import Recipe, Source


class CudaLoader(cpp.Loader):
    """`load_inline` and `load` of one host that builds for a GPU."""

    def for_cuda(self, recipe: Recipe, units: list[list[Source]], flags: list[str], asked: str) -> Recipe:
        return cuda_build.CudaRecipe(**vars(recipe), device_units=units, device_flags=flags, arch=cuda_build.target(self.context.arch))

    def refuse(self, wrong: bool, what: str) -> None:
        if wrong:
            raise self._failed(CompileError("backend 'cuda' builds for NVIDIA's GPUs: %s is refused" % what))


def install(context: Context) -> None:
    """Replace torch's builders in this process; in a candidate host track Triton's kernels too, where it is installed."""
    cpp.take_over(CudaLoader(context))
    if context.mode == "run" and importlib.util.find_spec("triton") is not None:
        from . import triton
        triton.track(context)


def warm(context: Context) -> None:
    """Ask both compilers for their versions, which enter every key."""
    cpp_build.version(cpp_build.compiler())
    cuda_toolkit.toolkit()


BACKEND = Backend(name="cuda", needs_build=True, packages=("torch",), devices=("cuda",), speed_on=("cuda",), install=install,
                  lacks=cuda_toolkit.lacks, warm=warm)
