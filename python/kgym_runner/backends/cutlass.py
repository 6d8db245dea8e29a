"""Backend `cutlass`: kernels in CuTe DSL (package nvidia-cutlass-dsl), compiled in the candidate host.

`install` tracks runs of compiled programs: a function under `@cute.jit`, and what `cute.compile` returns, both end in an executor. One that was compiled
for TVM's interface calls native code at once; it is seen by what it writes, not as a launch.
"""
from __future__ import annotations

import functools
from typing import Any, Callable

from . import Backend, Context
from .wrapping import find, wrap


def _name(function: Any) -> str:
    """Of a compiled function or of its executor."""
    named = getattr(function, "function_name", None)
    specification = getattr(getattr(function, "jit_module", None), "args_spec", None)
    return str(named or getattr(specification, "function_name", None) or "kernel")


def install(context: Context) -> None:
    def initialise(original: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        context.calls.defined(_name(self), "cutlass")

    def launch(original: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> Any:
        context.calls.defined(_name(self), "cutlass")
        return context.calls.observed(_name(self), functools.partial(original, self), args, kwargs)
    wrap(find("cutlass.base_dsl.jit_executor", "JitExecutor"), "run_compiled_program", launch)
    wrap(find("cutlass.base_dsl.jit_executor", "JitCompiledFunction"), "__init__", initialise)
    wrap(find("cutlass.cutlass_dsl.cuda_jit_executor", "CudaDialectJitCompiledFunction"), "__init__", initialise)


BACKEND = Backend(name="cutlass", needs_build=False, packages=("torch", "cutlass"), devices=("cuda",), speed_on=("cuda",), install=install)
