"""Backends that an operator declares in YAML, with a Python adapter where the declaration alone does not do (docs/extending.md).

The judge has read and checked the declarations; `declare` takes them in a zygote, before it forks. An adapter is parsed then, and run in hosts only, once,
when it is first needed: it may define `install(context)`, called as that of a built-in backend, and `translate(source)`, which gives the Python module
that stands for a submission in another language.
"""
from __future__ import annotations

import ast
import functools
import linecache
import shutil
import sys
import types
from typing import Any, Callable

from . import Backend, Context, builtin_names, register
from .wrapping import find, wrap

_HOOKS = ("install", "translate")


class Adapter:
    """The Python beside a declaration. Raises ValueError, with file and line, where it cannot be one."""

    def __init__(self, name: str, path: str, source: str):
        self.name, self.path, self.source = name, path, source
        try:
            tree = ast.parse(source, path)
        except SyntaxError as error:
            raise ValueError("%s:%d: %s" % (path, error.lineno or 0, error.msg)) from None
        self.hooks = {n.name for n in tree.body if isinstance(n, ast.FunctionDef) and n.name in _HOOKS}
        if not self.hooks:
            raise ValueError("%s: it defines neither install(context) nor translate(source); at least one is expected" % path)
        self._module: types.ModuleType | None = None

    def module(self) -> types.ModuleType:
        if self._module is None:
            module = types.ModuleType("kgym_adapter_" + self.name)
            module.__file__ = self.path
            sys.modules[module.__name__] = module
            linecache.cache[self.path] = (len(self.source), None, self.source.splitlines(True), self.path)
            exec(compile(self.source, self.path, "exec"), module.__dict__)
            self._module = module
        return self._module

    def translate(self, source: str) -> str:
        return self.module().translate(source)


def _name(kernel: Any) -> str:
    for word in (getattr(kernel, "__name__", None), getattr(kernel, "name", None)):
        if isinstance(word, str):
            return word
    return "kernel"


def track(context: Context, backend: str, kernels: list[dict[str, str]]) -> None:
    """Count the objects of these classes as kernels of the submission, and the calls of them as launches."""
    def initialise(original: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        context.calls.defined(_name(self), backend)

    def launch(original: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> Any:
        context.calls.defined(_name(self), backend)
        return context.calls.observed(_name(self), functools.partial(original, self), args, kwargs)
    for row in kernels:
        kind = find(row["module"], *row["class"].split("."))
        wrap(kind, "__init__", initialise)
        wrap(kind, row.get("call", "__call__"), launch)


def _install(name: str, kernels: list[dict[str, str]], adapter: Adapter | None, context: Context) -> None:
    track(context, name, kernels)
    if adapter is not None and "install" in adapter.hooks:
        adapter.module().install(context)


def _lacks(tools: list[str]) -> list[str]:
    return [tool for tool in tools if shutil.which(tool) is None]


ADAPTERS: dict[str, Adapter] = {}  # By backend; set by `declare` in a zygote, constant afterwards.


def declare(rows: list[dict[str, Any]]) -> None:
    """Raises ValueError that names the file and what is wrong with it."""
    for row in rows:
        name = row["name"]
        if name in builtin_names():
            raise ValueError("%s: name: '%s' is a built-in backend; another name is expected" % (row["path"], name))
        adapter = Adapter(name, **row["adapter"]) if row["adapter"] else None
        if adapter is not None:
            ADAPTERS[name] = adapter
        register(Backend(
            name=name, description=row["description"], needs_build=row["needs_build"], packages=tuple(row["packages"]), devices=tuple(row["devices"]), speed_on=tuple(row["speed_on"]),
            install=functools.partial(_install, name, row["kernels"], adapter), time_scale=row["time_scale"], lacks=functools.partial(_lacks, row["tools"]),
            translate=adapter.translate if adapter is not None and "translate" in adapter.hooks else None))
