"""A problem in KernelBench form, as a module: `Model`, `get_inputs`, `get_init_inputs`; sizes are module globals.

A workload replaces module globals by name. So that values derived from them follow (`shape = (rows, cols)`), the replacement happens right after
the statement that assigns the global, while the module runs.
"""
from __future__ import annotations

import ast
import os
import types
from typing import Any

from .wire import Failure, describe, foreign_trace

_HERE = os.path.dirname(os.path.abspath(__file__))
NEEDED = ("Model", "get_inputs", "get_init_inputs")


def _literal(tree: ast.Module, name: str) -> Any:
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            try:
                return ast.literal_eval(node.value)
            except ValueError:
                raise Failure("problem", "line %d: %s must be a literal" % (node.lineno, name)) from None
    return None


def _expression(value: Any) -> ast.expr:
    return ast.parse(repr(value), mode="eval").body


def _assigned(node: ast.stmt) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, (ast.AnnAssign, ast.AugAssign)) else []
    return {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}


def _with_sizes(tree: ast.Module, sizes: dict[str, Any]) -> ast.Module:
    """The module with `name = value` behind each top-level statement that assigns one of the sizes."""
    body, seen = [], set()
    for node in tree.body:
        body.append(node)
        for name in sorted(_assigned(node) & sizes.keys()):
            seen.add(name)
            body.append(ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], _expression(sizes[name])), node))
    if missing := sizes.keys() - seen:
        raise Failure("problem", "the workload sets %s, which the problem does not define at its top level" % ", ".join(sorted(missing)))
    tree.body = body
    return ast.fix_missing_locations(tree)


def load_problem(source: str, name: str, workload: str = "default", sizes: dict[str, Any] | None = None) -> types.ModuleType:
    """Run a problem's source as a module.

    workload: a key of the problem's WORKLOADS, or "default" or "gpu" for the sizes as they stand. sizes: further replacements, by global.
    Raises Failure("problem") that names the line and what is wrong.
    """
    try:
        tree = ast.parse(source, filename=name)
    except (SyntaxError, ValueError) as error:
        raise Failure("problem", "line %s: not Python: %s" % (getattr(error, "lineno", "?"), getattr(error, "msg", error))) from None
    workloads = _literal(tree, "WORKLOADS") or {}
    chosen: dict[str, Any] = {}
    if workload in workloads:
        chosen = dict(workloads[workload])
    elif workload not in ("default", "gpu"):
        known = ", ".join(["default", *workloads])
        if workload != "cpu":
            raise Failure("problem", "no workload %r; this problem has: %s" % (workload, known))
    chosen.update(sizes or {})
    module = types.ModuleType("kgym_problem")
    module.__file__ = name
    try:
        exec(compile(_with_sizes(tree, chosen), name, "exec"), module.__dict__)  # noqa: S102
    except Failure:
        raise
    except BaseException as error:
        raise Failure("problem", "loading it raised %s" % describe(error), foreign_trace(error, _HERE)) from None
    for needed in NEEDED:
        if not callable(getattr(module, needed, None)):
            raise Failure("problem", "it does not define %s" % needed)
    return module


def reduction_length(module: types.ModuleType) -> int:
    """The length of the problem's longest sum, by META["reduces"]; 1 where it says nothing."""
    reduces = (getattr(module, "META", None) or {}).get("reduces", 1)
    length = 1
    for part in reduces if isinstance(reduces, (list, tuple)) else [reduces]:
        length *= int(getattr(module, part)) if isinstance(part, str) else int(part)
    return max(1, length)
