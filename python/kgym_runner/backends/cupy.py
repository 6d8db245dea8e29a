"""Backend `cupy`: kernels compiled by NVRTC through CuPy (RawKernel, RawModule, ElementwiseKernel, ReductionKernel, cupyx.jit.rawkernel).

CuPy's kernel classes are immutable, so `install` puts subclasses in their place that tell when they are made and called. Compiling takes no nvcc and
happens in the candidate host. CuPy must be told which stream torch uses by the submission itself, as anywhere.
"""
from __future__ import annotations

import functools
from typing import Any, Callable

from . import Backend, Context
from .wrapping import find, wrap


def _name(kernel: Any) -> str:
    return getattr(kernel, "name", None) or getattr(getattr(kernel, "_func", None), "__name__", None) or "kernel"


def _launcher(context: Context, kernel: type) -> Callable[..., Any]:
    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        return context.calls.observed(_name(self), functools.partial(kernel.__call__, self), args, kwargs)
    return __call__


def _tracked(context: Context, kernel: type) -> type:
    """A subclass that behaves as `kernel` and counts."""
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        kernel.__init__(self, *args, **kwargs)
        context.calls.defined(_name(self), "cupy")
    members = {"__init__": __init__, "__call__": _launcher(context, kernel), "__module__": kernel.__module__, "__doc__": kernel.__doc__}
    return type(kernel.__name__, (kernel,), members)


def _tracked_module(context: Context, module: type) -> type:
    """A subclass of RawModule whose functions count: it makes its kernels in C, past the name that was replaced."""
    class RawModule(module):  # type: ignore[misc, valid-type]
        def get_function(self, name: str) -> Callable[..., Any]:
            kernel = super().get_function(name)
            return context.calls.wrap(_name(kernel), kernel, "cupy")
    return RawModule


def install(context: Context) -> None:
    cupy = find("cupy")
    if cupy is None or context.mode != "run":
        return
    for name in ("RawKernel", "ElementwiseKernel", "ReductionKernel"):
        if isinstance(kernel := getattr(cupy, name, None), type):
            setattr(cupy, name, _tracked(context, kernel))
    if isinstance(module := getattr(cupy, "RawModule", None), type):
        cupy.RawModule = _tracked_module(context, module)

    def launch(original: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> Any:
        context.calls.defined(_name(self), "cupy")
        return context.calls.observed(_name(self), functools.partial(original, self), args, kwargs)
    wrap(find("cupyx.jit._interface", "_JitRawKernel"), "__call__", launch)


BACKEND = Backend(name="cupy", needs_build=False, packages=("torch", "cupy"), devices=("cuda",), speed_on=("cuda",), install=install)
