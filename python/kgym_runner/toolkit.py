"""Toolkits in a candidate host: a Python class of the operator's with typed input and output, run once (docs/extending.md).

Operations (judge -> host; descriptors in brackets):
  adapter  {name}               []        install a declared backend, where it runs here, to see that it can be
  toolkit  {name, path}         [source]  load a toolkit's file                -> {description, input: {field: type}, output}
  step     {}                   [input]   run the last one on this input       -> {files: [name...]} [output, file...]
Input and output are JSON in memfds. Everything said here is only said: the judge checks the output against the types that it was told when it started.
"""
from __future__ import annotations

import base64
import dataclasses
import json
import linecache
import math
import os
import re
import stat
import sys
import types
import typing
from pathlib import Path
from typing import Any

from . import device
from .backends import Context, backend as find_backend, declared
from .candidate import failure, private_folder
from .wire import Failure, clip, describe

_HERE = os.path.dirname(os.path.abspath(__file__))
WORKSPACE = "/tmp/workspace"
MOST_OUTPUT_BYTES = 4 << 20
MOST_FILES = 32
_LONGEST_NAME = 100
_FILE_NAME = re.compile(r"(?=.{1,%d}\Z)[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*" % _LONGEST_NAME)
_SCALARS = {int: "int", float: "float", str: "str", bool: "bool", bytes: "bytes", Any: "json"}
_TYPES = "int, float, str, bool, bytes, Any, list[T], dict[str, T] and T | None are known"


def spell(hint: Any) -> str:
    """A type hint as the judge writes it: "list[float]", "dict[str, int] | None". Raises ValueError."""
    if hint in _SCALARS:
        return _SCALARS[hint]
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is list and len(arguments) == 1:
        return "list[%s]" % spell(arguments[0])
    if origin is dict and len(arguments) == 2 and arguments[0] is str:
        return "dict[str, %s]" % spell(arguments[1])
    if origin in (typing.Union, types.UnionType) and len(arguments) == 2 and type(None) in arguments:
        return "%s | None" % spell(arguments[arguments[0] is type(None)])
    raise ValueError("type %s; %s" % (clip(str(hint), 100), _TYPES))


def _fields(owner: type, name: str) -> dict[str, Any]:
    """The fields of a toolkit's Input or Output: type, or type and default. Raises ValueError."""
    kind = getattr(owner, name, None)
    if not isinstance(kind, type) or not dataclasses.is_dataclass(kind):
        raise ValueError("class %s has no dataclass %s; one is expected" % (owner.__name__, name))
    try:
        hints = typing.get_type_hints(kind)
    except NameError as error:
        raise ValueError("%s.%s: %s" % (owner.__name__, name, error)) from None
    told = {}
    for field in dataclasses.fields(kind):
        try:
            text = spell(hints[field.name])
        except ValueError as error:
            raise ValueError("%s.%s.%s: %s" % (owner.__name__, name, field.name, error)) from None
        default = field.default
        if field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        told[field.name] = text if default is dataclasses.MISSING else {"type": text, "default": encode(default, field.name)}
    return told


def encode(value: Any, where: str) -> Any:
    """A field's value as JSON; bytes become base64. Raises ValueError that names the place."""
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        if not math.isfinite(value):
            raise ValueError("field '%s': %r found; a finite number is expected" % (where, value))
        return value
    if kind is bytes:
        return base64.b64encode(value).decode()
    if kind in (list, tuple):
        return [encode(v, "%s[%d]" % (where, i)) for i, v in enumerate(value)]
    if kind is dict:
        return {str(k): encode(v, "%s.%s" % (where, clip(str(k), 40))) for k, v in value.items()}
    raise ValueError("field '%s': a %s found; what JSON has is expected, such as float(x) or x.tolist()" % (where, kind.__name__))


def decode(value: Any, hint: Any) -> Any:
    """A field's value of what the judge sent, which has the right type; base64 becomes bytes, a whole number a float where one is asked for."""
    if value is None or hint is Any:
        return value
    if hint is bytes:
        return base64.b64decode(value)
    if hint is float:
        return float(value)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is list:
        return [decode(v, arguments[0]) for v in value]
    if origin is dict:
        return {k: decode(v, arguments[1]) for k, v in value.items()}
    if origin in (typing.Union, types.UnionType):
        return decode(value, arguments[arguments[0] is type(None)])
    return value


def load(name: str, path: str, source: str) -> type:
    """The toolkit's class: the only one in its file that has `run`. Raises Failure("load")."""
    module = types.ModuleType("kgym_toolkit_" + name)
    module.__file__ = path
    sys.modules[module.__name__] = module
    linecache.cache[path] = (len(source), None, source.splitlines(True), path)
    try:
        exec(compile(source, path, "exec"), module.__dict__)
    except SyntaxError as error:
        raise Failure("load", "line %d: %s" % (error.lineno or 0, error.msg)) from None
    except BaseException as error:  # noqa: BLE001
        raise failure("load", error) from None
    classes = [c for c in vars(module).values() if isinstance(c, type) and c.__module__ == module.__name__ and callable(getattr(c, "run", None))]
    if len(classes) != 1:
        raise Failure("load", "%d classes with a method run; one is expected" % len(classes))
    return classes[0]


def _files() -> list[str]:
    """The regular files below the workspace, by name. Links are not followed. Raises Failure("shape")."""
    names = []
    for folder, _, files in os.walk(WORKSPACE):
        names += [os.path.relpath(os.path.join(folder, f), WORKSPACE) for f in files if stat.S_ISREG(os.lstat(os.path.join(folder, f)).st_mode)]
    if len(names) > MOST_FILES:
        raise Failure("shape", "%d files in its workspace; at most %d are kept" % (len(names), MOST_FILES))
    if odd := [name for name in names if not _FILE_NAME.fullmatch(name)]:
        raise Failure("shape", "its file %s: letters, digits, '.', '_' and '-' are expected, no '.' first, %d in all at most" % (clip(repr(odd[0]), 200), _LONGEST_NAME))
    return sorted(names)


class Toolkits:
    def __init__(self) -> None:
        self.kind: type | None = None

    def operations(self) -> dict[str, Any]:
        return {"adapter": self.op_adapter, "toolkit": self.op_toolkit, "step": self.op_step}

    def op_adapter(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        backend = find_backend(message["name"])
        if device.current().name not in backend.devices or backend.missing():
            return {}
        try:
            declared.ADAPTERS[message["name"]].module()
            backend.install(Context(mode="run", private_dir=private_folder(), device=device.current().name, arch=device.current().arch))
        except BaseException as error:  # noqa: BLE001
            raise failure("load", error) from None
        return {}

    def op_toolkit(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        with open(fds[0], "rb", closefd=False) as file:
            source = file.read()
        try:
            self.kind = load(message["name"], message["path"], source.decode())
            description = (self.kind.__doc__ or "").strip().partition("\n")[0]
            return {"description": description, "input": _fields(self.kind, "Input"), "output": _fields(self.kind, "Output")}
        except ValueError as error:
            raise Failure("load", str(error)) from None

    def op_step(self, message: dict[str, Any], fds: list[int]) -> tuple[dict[str, Any], list[int]]:
        with open(fds[0], "rb", closefd=False) as file:
            given = json.load(file)
        kind, hints = self.kind, typing.get_type_hints(self.kind.Input)
        os.makedirs(WORKSPACE, exist_ok=True)
        try:
            output = kind().run(kind.Input(**{k: decode(v, hints[k]) for k, v in given.items()}), Path(WORKSPACE))
        except BaseException as error:  # noqa: BLE001
            raise failure("runtime", error) from None
        if type(output) is not kind.Output:
            raise Failure("shape", "run returned a %s; an Output is expected" % type(output).__name__)
        try:
            data = json.dumps({f.name: encode(getattr(output, f.name), f.name) for f in dataclasses.fields(output)}).encode()
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise Failure("shape", describe(error).partition(": ")[2] or describe(error)) from None
        except MemoryError as error:
            raise failure("runtime", error) from None
        if len(data) > MOST_OUTPUT_BYTES:
            raise Failure("shape", "its output has %d bytes as JSON; at most %d are expected: write a file into the workspace" % (len(data), MOST_OUTPUT_BYTES))
        out = os.memfd_create("kgym-output")
        os.write(out, data)
        names = _files()
        return {"files": names}, [out, *(os.open(os.path.join(WORKSPACE, name), os.O_RDONLY | os.O_NOFOLLOW) for name in names)]
