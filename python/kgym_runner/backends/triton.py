"""Backend `triton`. On a CPU lane kernels run in Triton's interpreter: correctness only, and far slower than anything.

A zygote imports triton for compiling, and then triton's own device library (tl.sum, tl.softmax, ...) is bound to the compiler: setting
TRITON_INTERPRET after that is not enough. So `install` sets it and imports triton again, which takes 35 ms. Triton 3.6 to 3.9.

The interpreter keeps bfloat16 as 16-bit integers: arithmetic on it is silently wrong, and a cast from float32 truncates. Both are noted in the
context, so that a verdict can say so: "bfloat16-in-interpreter", "bfloat16-truncated-in-interpreter". A call of libdevice or of inline assembly, which
the interpreter refuses, is noted as "unsupported-in-interpreter".
"""
from __future__ import annotations

import functools
import importlib
import os
import sys
from typing import Any, Callable

from . import Backend, Context, triton_names
from .triton_seed import letters
from .wrapping import find, wrap

ARITHMETIC = "bfloat16-in-interpreter"
TRUNCATION = "bfloat16-truncated-in-interpreter"
UNSUPPORTED = "unsupported-in-interpreter"
# Builder methods that move or make values and do no arithmetic on them.
_MOVES = {"create_load", "create_store", "create_masked_load", "create_masked_store", "create_bitcast", "create_reshape", "create_trans",
          "create_expand_dims", "create_broadcast", "create_cat", "create_join", "create_split", "create_splat", "create_unsplat", "create_gather",
          "create_select", "create_int_to_ptr", "create_ptr_to_int", "create_addptr", "create_print", "create_tensor_pointer_load",
          "create_tensor_pointer_store", "create_descriptor_load", "create_descriptor_store", "create_descriptor_gather",
          "create_descriptor_scatter", "create_make_block_ptr", "create_make_tensor_descriptor", "create_advance", "create_fabs"}
_CASTS = {"create_fp_ext", "create_fp_trunc", "create_fp_to_fp"}


def _name(function: Any) -> str:
    return getattr(getattr(function, "fn", function), "__name__", "kernel")


def _track(context: Context, kind: type) -> None:
    """Count the kernels of this class that the submission defines, and their launches."""
    def initialise(original: Callable[..., Any], self: Any, fn: Any, *args: Any, **kwargs: Any) -> None:
        original(self, fn, *args, **kwargs)
        if not getattr(fn, "__module__", "").partition(".")[0] == "triton":
            context.calls.defined(_name(self), "triton")

    def run(original: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("warmup"):
            return original(self, *args, **kwargs)
        return context.calls.observed(_name(self), functools.partial(original, self), args, kwargs)
    wrap(kind, "__init__", initialise)
    wrap(kind, "run", run)


def _interpret() -> None:
    """Switch interpretation on. A triton that was imported for compiling is imported anew; its C++ part, which cannot be, stays."""
    os.environ["TRITON_INTERPRET"] = "1"
    import triton.language
    from triton.runtime.jit import JITFunction
    if not isinstance(triton.language.sum, JITFunction):
        return
    for name in [n for n in sys.modules if n.partition(".")[0] == "triton" and not n.startswith("triton._C")]:
        del sys.modules[name]
    importlib.import_module("triton.language")


def _is_bfloat16(value: Any) -> bool:
    return getattr(getattr(getattr(value, "dtype", None), "scalar", None), "name", "") == "bf16"


def _watch_bfloat16(context: Context) -> None:
    from triton.runtime import interpreter

    def arithmetic(original: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> Any:
        if any(map(_is_bfloat16, args)):
            context.note(ARITHMETIC)
        return original(self, *args, **kwargs)

    def cast(original: Callable[..., Any], self: Any, source: Any, to: Any, *args: Any, **kwargs: Any) -> Any:
        if getattr(to, "scalar", to).name == "bf16":
            context.note(TRUNCATION)
        return original(self, source, to, *args, **kwargs)

    def reduction(original: Callable[..., Any], self: Any, values: Any) -> Any:
        if any(getattr(getattr(v, "dtype", None), "name", "") == "bf16" for v in (values if isinstance(values, tuple) else (values,))):
            context.note(ARITHMETIC)
        return original(self, values)
    builder = interpreter.InterpreterBuilder
    for name in [n for n in vars(builder) if n.startswith("create_") and n not in _MOVES]:
        wrap(builder, name, cast if name in _CASTS else arithmetic)
    wrap(interpreter.ReduceScanOpInterface, "apply", reduction)


def _watch_unsupported(context: Context) -> None:
    """Kernels that call libdevice or inline assembly fail in the interpreter and work on a GPU."""
    from triton.runtime.interpreter import InterpreterBuilder

    def unsupported(original: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> Any:
        context.note(UNSUPPORTED)
        return original(self, *args, **kwargs)
    for name in ("create_extern_elementwise", "create_inline_asm"):
        wrap(InterpreterBuilder, name, unsupported)


def _check_names() -> None:
    """Interpreted kernels may use what compiled ones may."""
    from triton.runtime.interpreter import InterpretedFunction

    def run(original: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> Any:
        triton_names.check(self.fn)
        return original(self, *args, **kwargs)
    wrap(InterpretedFunction, "run", run)


def track(context: Context) -> None:
    """Track compiled kernels, and where Triton has one launcher for each signature (up to 3.6), the signatures that were asked for."""
    from triton.runtime.jit import JITFunction
    _track(context, JITFunction)

    def launcher(original: Callable[..., Any], constants: Any, signature: dict[Any, Any], *rest: Any) -> Any:
        if word := letters(signature.values()):
            context.launchers.setdefault(word)
        return original(constants, signature, *rest)
    wrap(find("triton.backends.nvidia.driver"), "make_launcher", launcher)


def warm(context: Context) -> None:
    """Once, in a zygote, before it forks: the compiler's first use, and the driver's search for libcuda, which runs a program. Touches no device."""
    if context.device == "cpu":
        return
    from .triton_warm import compile_dummy
    compile_dummy(context.arch)
    try:
        find("triton.backends.nvidia.driver", "library_dirs")()
    except (AssertionError, OSError, TypeError):
        pass  # No driver here: a host that needs one will say so.


def install(context: Context) -> None:
    """On a CPU: switch interpretation on, stand in for the driver, watch bfloat16 and what kernels name. On any device: track kernels."""
    if context.device != "cpu":
        return track(context)
    _interpret()
    from triton.runtime import driver
    from triton.runtime.interpreter import InterpretedFunction
    from .triton_driver import CpuDriver
    driver.set_active(CpuDriver())
    _check_names()  # Within what counts launches: one that is refused was tried.
    _track(context, InterpretedFunction)
    _watch_bfloat16(context)
    _watch_unsupported(context)


BACKEND = Backend(name="triton", needs_build=False, packages=("torch", "triton"), devices=("cpu", "cuda"), speed_on=("cuda",), install=install,
                  time_scale={"cpu": 20.0}, warm=warm)
