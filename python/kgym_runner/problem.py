"""A problem in KernelBench form, as a module: `Model`, `get_inputs`, `get_init_inputs`; sizes are module globals.

A workload replaces module globals by name. So that values derived from them follow (`shape = (rows, cols)`), the replacement happens right after
the statement that assigns the global, while the module runs.
"""
from __future__ import annotations

import ast
import math
import os
import traceback
import types
from typing import Any

from .wire import Failure, describe, foreign_trace

_HERE = os.path.dirname(os.path.abspath(__file__))
NEEDED = ("Model", "get_inputs", "get_init_inputs")


def line_of(what: Any) -> str:
    """"line N: " for a function of a problem, or for the last place in a problem's own code that an exception passed; else ""."""
    code = getattr(what, "__code__", None)
    if code is not None:
        return "line %d: " % code.co_firstlineno
    if isinstance(what, BaseException):
        ours = [line for frame, line in traceback.walk_tb(what.__traceback__) if "__kgym_sizes__" in frame.f_globals]
        return "line %d: " % ours[-1] if ours else ""
    return ""


def _literal(tree: ast.Module, name: str) -> Any:
    """The value of a dict that a top-level statement assigns; {} where there is none."""
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) and node.value else []
        if any(isinstance(t, ast.Name) and t.id == name for t in targets):
            try:
                value = ast.literal_eval(node.value)
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                raise Failure("problem", "line %d: %s must be a literal" % (node.lineno, name)) from None
            if not isinstance(value, dict):
                raise Failure("problem", "line %d: %s is a %s; a dict is expected" % (node.lineno, name, type(value).__name__))
            return value
    return {}


def _sizes_of(tree: ast.Module, workload: str) -> dict[str, Any]:
    """What a workload sets. The sizes as they stand serve "default" and "gpu", and "cpu" where it is not said otherwise."""
    workloads = _literal(tree, "WORKLOADS")
    if workload not in workloads:
        if workload in ("default", "gpu", "cpu"):
            return {}
        raise Failure("problem", "no workload %r; this problem has: %s" % (workload, ", ".join(["default", *map(str, workloads)])))
    sizes = workloads[workload]
    if not isinstance(sizes, dict) or not all(isinstance(k, str) for k in sizes):
        raise Failure("problem", "workload %r is %r; a dict from names of globals to values is expected" % (workload, sizes))
    return dict(sizes)


def _assigned(node: ast.stmt) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, (ast.AnnAssign, ast.AugAssign)) else []
    return {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _with_sizes(tree: ast.Module, sizes: dict[str, Any]) -> ast.Module:
    """The module with `name = value` behind each top-level statement that assigns one of the sizes."""
    body, seen = [], set()
    for node in tree.body:
        body.append(node)
        for name in sorted(_assigned(node) & sizes.keys()):
            seen.add(name)
            body.append(ast.copy_location(ast.parse("%s = __kgym_sizes__[%r]" % (name, name)).body[0], node))
    if missing := sizes.keys() - seen:
        known = sorted(set().union(*(_assigned(node) for node in tree.body)) - {"META", "WORKLOADS"})
        raise Failure("problem", "its sizes name %s, which it does not define at its top level; defined there: %s" % (
            ", ".join(sorted(missing)), ", ".join(known) or "nothing"))
    tree.body = body
    return ast.fix_missing_locations(tree)


def load_problem(source: str, name: str, workload: str = "default", sizes: dict[str, Any] | None = None) -> types.ModuleType:
    """Run a problem's source as a module.

    workload: a key of the problem's WORKLOADS, or "default" or "gpu" for the sizes as they stand. sizes: further replacements, by global.
    Raises Failure("problem") that names the line and what is wrong.
    """
    try:
        tree = ast.parse(source, filename=name)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Failure("problem", "line %s: not Python: %s" % (getattr(error, "lineno", "?"), getattr(error, "msg", error))) from None
    chosen = {**_sizes_of(tree, workload), **(sizes or {})}
    module = types.ModuleType("kgym_problem")
    module.__file__, module.__kgym_sizes__ = name, chosen
    try:
        exec(compile(_with_sizes(tree, chosen), name, "exec"), module.__dict__)  # noqa: S102
    except Failure:
        raise
    except SyntaxError as error:  # What only the compiler minds, such as a return outside a function.
        raise Failure("problem", "line %s: not Python: %s" % (error.lineno, error.msg)) from None
    except BaseException as error:  # noqa: BLE001
        raise Failure("problem", "%sloading it raised %s" % (line_of(error), describe(error)), foreign_trace(error, _HERE)) from None
    for needed in NEEDED:
        if not callable(getattr(module, needed, None)):
            raise Failure("problem", "it does not define %s" % needed)
    _check_meta(module)
    return module


def _check_meta(module: types.ModuleType) -> None:
    """Raises Failure("problem") for a META that could not be used."""
    meta = getattr(module, "META", None) or {}
    if not isinstance(meta, dict):
        raise Failure("problem", "META is a %s; a dict is expected" % type(meta).__name__)
    tolerance = meta.get("tolerance") or {}
    if not isinstance(tolerance, dict) or not tolerance.keys() <= {"rtol", "atol_rms"} or not all(
            type(v) in (int, float) and math.isfinite(v) and v >= 0 for v in tolerance.values()):
        raise Failure("problem", "META['tolerance'] is %r; a dict of rtol and atol_rms, both at least 0, is expected" % (tolerance,))
    reduction_length(module)


def reduction_length(module: types.ModuleType) -> int:
    """The length of the problem's longest sum, by META["reduces"]; 1 where it says nothing."""
    reduces = (getattr(module, "META", None) or {}).get("reduces", 1)
    length = 1
    for part in reduces if isinstance(reduces, (list, tuple)) else [reduces]:
        number = getattr(module, part, None) if isinstance(part, str) else part
        if type(number) is not int or number < 1:
            raise Failure("problem", "META['reduces'] has %r, which is no number above 0 and no global that is one" % (part,))
        length *= number
    return length
