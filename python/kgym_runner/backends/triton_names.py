"""Which names a Triton kernel may use where it is interpreted: those that Triton's compiler would let it use.

The interpreter runs a kernel as plain Python, which may name anything: a global number that the compiler refuses, so that a kernel that passes here
fails on a GPU, or a library that does the kernel's work. The compiler's rule is kept instead: a kernel names its parameters and variables, Triton's own
modules and functions, other kernels, `constexpr` values, and a few built-in functions. Of another module it may name what cannot be called,
as `torch.float16` and `math.pi`. A kernel is checked at its launch, when its globals are what they will be.

No wall: who writes Python gets around it (`getattr` is a name that a kernel may use). It closes what is plainly written, docs/threat_model.md has the rest.
"""
from __future__ import annotations

import dis
import inspect
import os
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, ModuleType
from typing import Any

from . import CompileError

_BUILTINS = {"len", "list", "range", "float", "int", "isinstance", "getattr", "hasattr", "print", "min", "max"}
_NOTHING = object()


def _of_triton(value: Any) -> bool:
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return isinstance(name, str) and name.partition(".")[0] == "triton"


def _is_constant(value: Any) -> bool:
    """Triton's own, a kernel, a constexpr, or a class of named tuples (of constants, the compiler sees to that)."""
    return value is None or _of_triton(value) or _of_triton(type(value)) or hasattr(value, "_fields") or hasattr(value, "__triton_builtin__")


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _named(steps: list[dis.Instruction], at: int, scope: Mapping[str, Any]) -> tuple[str, Any]:
    """What the step at `at` loads from outside the kernel, and where that is a module, what is then taken from it: its name and its value."""
    name = steps[at].argval
    value = scope.get(name, _NOTHING)
    while isinstance(value, ModuleType) and at + 1 < len(steps) and steps[at + 1].opname in ("LOAD_ATTR", "LOAD_METHOD"):
        at += 1
        name += "." + steps[at].argval
        value = getattr(value, steps[at].argval, _NOTHING)
    return name, value


def _uses(code: CodeType, scope: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Name and value of all that a kernel takes from outside. What it imports has no value, nor has what exists nowhere."""
    for inner in _codes(code):
        steps = list(dis.get_instructions(inner))
        for at, step in enumerate(steps):
            if step.opname == "IMPORT_NAME":
                yield step.argval, _NOTHING
            elif step.opname in ("LOAD_GLOBAL", "LOAD_NAME") or step.opname == "LOAD_DEREF" and step.argval in scope:
                yield _named(steps, at, scope)


def _allowed(name: str, value: Any) -> bool:
    if value is _NOTHING:
        return name in _BUILTINS
    of_a_module = "." in name and not isinstance(value, ModuleType) and not callable(value)
    return of_a_module or _is_constant(value)


def check(kernel: Callable[..., Any]) -> None:
    """Raises CompileError that names the kernel, or one that it calls, and what it may not use. `kernel` is the function that was decorated."""
    if os.environ.get("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS") == "1":
        return
    waiting, seen = [kernel], set()
    while waiting:
        function = waiting.pop()
        if not inspect.isfunction(function) or function in seen:
            continue
        seen.add(function)
        outside = inspect.getclosurevars(function).nonlocals
        for name, value in _uses(function.__code__, {**function.__globals__, **outside}):
            if not _allowed(name, value):
                raise CompileError("kernel %s uses '%s', which Triton's compiler refuses on a GPU; expected its own variables, Triton's functions, other "
                                   "kernels and tl.constexpr values" % (function.__name__, name))
            waiting.append(getattr(value, "fn", None))
