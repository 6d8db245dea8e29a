"""Backend `tilelang`: kernels in TileLang, compiled in the candidate host.

`install` tracks the calls of compiled kernels. TileLang compiles with nvcc unless it is told to use NVRTC, so a machine without nvcc lacks something.
"""
from __future__ import annotations

import functools
from typing import Any, Callable

from . import Backend, Context, cuda_toolkit
from .wrapping import find, wrap


def _name(kernel: Any) -> str:
    """The kernel's symbol; its function is TVM's, whose attributes are a mapping."""
    try:
        return str(kernel.prim_func.attrs["global_symbol"])
    except (AttributeError, KeyError, TypeError):
        return "kernel"


def install(context: Context) -> None:
    def initialise(original: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        context.calls.defined(_name(self), "tilelang")

    def launch(original: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> Any:
        context.calls.defined(_name(self), "tilelang")
        return context.calls.observed(_name(self), functools.partial(original, self), args, kwargs)
    kernel = find("tilelang.jit.kernel", "JITKernel")
    wrap(kernel, "__init__", initialise)
    wrap(kernel, "__call__", launch)


BACKEND = Backend(name="tilelang", needs_build=False, packages=("torch", "tilelang"), devices=("cuda",), speed_on=("cuda",), install=install,
                  lacks=cuda_toolkit.lacks)
