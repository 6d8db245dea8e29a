"""Framework operators that a TorchDispatchMode does not see: in other threads, or behind a guard that excludes it.

A mode is thread-local, and code can step round it. torch's execution trace observer is a callback of the whole process that sees every operator with
its parents. An operator that the mode handled has a PythonDispatchMode record around or under it; one without was unseen.

Costs a few milliseconds. Where the observer is missing, or is a torch that does not record the mode, the answer is None: not watched.
"""
from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from contextlib import contextmanager
from typing import Any, Iterator

import torch

from .provenance import is_view, role

_MARK = "PythonDispatchMode"


@contextmanager
def _quiet() -> Iterator[None]:
    """The observer's own lines do not belong in the submission's stderr."""
    saved, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(null)


class Trace:
    """`with Trace() as trace: ...`, then `trace.unseen()`."""

    def __init__(self) -> None:
        self._path = ""
        self._nodes: list[dict[str, Any]] | None = None

    def __enter__(self) -> "Trace":
        try:
            from torch._C import _profiler
            handle, self._path = tempfile.mkstemp(suffix=".json")
            os.close(handle)
            with _quiet():
                if _profiler._add_execution_trace_observer(self._path):
                    _profiler._enable_execution_trace_observer()
                else:
                    self._path = ""
        except (ImportError, AttributeError, OSError):
            self._path = ""
        return self

    def __exit__(self, *_: Any) -> None:
        if not self._path:
            return
        from torch._C import _profiler
        with _quiet():
            _profiler._disable_execution_trace_observer()
            _profiler._remove_execution_trace_observer()
        try:
            with open(self._path, encoding="utf-8", errors="replace") as file:
                self._nodes = json.load(file)["nodes"]
        except (OSError, ValueError, KeyError):
            pass
        finally:
            os.unlink(self._path)

    def unseen(self, mode_saw_some: bool) -> dict[str, int] | None:
        """Computing operators that no mode saw, outermost only, by name; None when nothing was watched.

        mode_saw_some: whether the mode handled any operator, and so must have left its mark.
        """
        if self._nodes is None:
            return None
        names = {node["id"]: node["name"] for node in self._nodes}
        children: dict[int, list[int]] = {}
        for node in self._nodes:
            children.setdefault(node.get("ctrl_deps", 0), []).append(node["id"])
        roots = [n["id"] for n in self._nodes if n.get("ctrl_deps") not in names or n.get("ctrl_deps") == n["id"]]
        if mode_saw_some and _MARK not in names.values():
            return None
        found: Counter[str] = Counter()
        waiting = roots
        while waiting:
            node = waiting.pop()
            if names[node] == _MARK:
                continue
            if _computes(names[node]) and not _has_mark(node, names, children):
                found[_plain(names[node])] += 1
                continue
            waiting += [child for child in children.get(node, []) if child != node]
        return dict(found)


def _plain(name: str) -> str:
    return name.rstrip("_")


def _computes(name: str) -> bool:
    """Whether a record is an operator with a kernel of its own that computes; a composite one is told by its parts."""
    if "::" not in name or name.startswith(("kgym", "profiler::")):
        return False
    try:
        if torch._C._dispatch_has_kernel_for_dispatch_key(name, "CompositeImplicitAutograd"):
            return False
        schemas = torch._C._jit_get_schemas_for_operator(name)
    except RuntimeError:
        return False
    return bool(schemas) and role(_plain(name.partition("::")[2]), is_view(schemas[0])) == "compute"


def _has_mark(node: int, names: dict[int, str], children: dict[int, list[int]]) -> bool:
    waiting = list(children.get(node, []))
    while waiting:
        child = waiting.pop()
        if names[child] == _MARK:
            return True
        waiting += children.get(child, [])
    return False
