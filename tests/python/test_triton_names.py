"""What an interpreted Triton kernel may name: what Triton's compiler lets it name, and nothing else. No kernel is run."""
from __future__ import annotations

import collections
import math
import sys
from pathlib import Path

import numpy
import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from kgym_runner.backends import CompileError, triton_names  # noqa: E402

triton = pytest.importorskip("triton")
tl = pytest.importorskip("triton.language")
pytest.importorskip("triton.runtime.interpreter")  # Imports NumPy, as `np`.

WIDTH = 64
HALF = torch.float16
BLOCK = tl.constexpr(64)
Pair = collections.namedtuple("Pair", "first second")
held = {}


def plain(x):
    return x


def times_width(x):
    return x * WIDTH


class Kernel:
    """As Triton's own: the function that was decorated is `fn`."""
    def __init__(self, fn):
        self.fn = fn


Kernel.__module__ = "triton.runtime.jit"
called = Kernel(times_width)


def constants(x, N: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    pair = Pair(math.pi, torch.float16)
    for i in range(len(pair)):
        tl.store(x + at, min(float(i), tl.max(tl.load(x + at), 0)), mask=at < N)


def other_operator(x):
    return tl.math.exp(x) if triton.language.constexpr is not None else None


def global_number(x):
    return x * WIDTH


def global_type(x):
    return x.to(HALF)


def library(x):
    numpy.matmul(held["a"], held["b"], out=held["c"])


def library_by_another_name(x):
    np = numpy
    return np


def framework(x):
    return torch.nn.functional.relu(x)


def through_triton(x):
    return triton.runtime.interpreter.np.exp(x)


def imported(x):
    import numpy as np
    return np.exp(x)


def imported_from(x):
    from math import exp
    return exp(x)


def helper_in_python(x):
    return plain(x)


def another_kernel(x):
    return called(x)


def held_container(x):
    return held["x"]


def builtin(x):
    return eval("x")


def absent(x):
    return nowhere(x)  # noqa: F821


def in_a_function_of_its_own(x):
    def inner(y):
        return numpy.exp(y)
    return inner(x)


def enclosing(value):
    def kernel(x):
        return x * value
    return kernel


@pytest.mark.parametrize("kernel", [constants, other_operator, enclosing(tl.constexpr(3)), enclosing(None)])
def test_what_the_compiler_allows(kernel):
    triton_names.check(kernel)


@pytest.mark.parametrize("kernel, name", [
    (global_number, "WIDTH"), (global_type, "HALF"), (library, "numpy.matmul"), (library_by_another_name, "numpy"),
    (framework, "torch.nn.functional.relu"), (through_triton, "triton.runtime.interpreter.np.exp"), (imported, "numpy"), (imported_from, "math"),
    (helper_in_python, "plain"), (another_kernel, "WIDTH"), (held_container, "held"), (builtin, "eval"), (absent, "nowhere"),
    (in_a_function_of_its_own, "numpy.exp"), (enclosing(3), "value"), (enclosing(plain), "value"), (enclosing(numpy), "value"),
], ids=lambda value: getattr(value, "__name__", value))
def test_what_it_refuses(kernel, name):
    with pytest.raises(CompileError, match="uses '%s', which Triton's compiler refuses" % name):
        triton_names.check(kernel)


def test_triton_says_that_any_global_will_do(monkeypatch):
    monkeypatch.setenv("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS", "1")
    triton_names.check(global_number)
