"""A tripwire on what submissions like to patch: clocks, synchronisation, comparison.

Nothing depends on it: times and comparisons are made outside the candidate's interpreter, so that a patch changes nothing. It tells a person that one
was tried. A submission that restores what it patched is not seen here. What torch itself replaces is no patch: importing torch._dynamo, as torch.compile,
the profiler and dispatch modes do, puts a wrapper round torch.manual_seed.

Threads: the host's main thread.
"""
from __future__ import annotations

import builtins
import importlib.machinery
import os
import time
from types import CodeType, FunctionType
from typing import Any

import torch
import torch.testing

_CLOCKS = [(time, n) for n in ("time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "process_time", "sleep")] + [
    (torch.cuda, n) for n in ("synchronize", "Event", "Stream", "current_stream")] + [
    (torch.cuda.Event, n) for n in ("record", "elapsed_time", "synchronize", "query")]
_HARNESS = [(torch, n) for n in ("allclose", "equal", "isclose", "eq", "manual_seed", "empty", "empty_like", "frombuffer", "load", "save")] + [
    (torch.testing, "assert_close"), (torch.Tensor, "allclose"), (torch.Tensor, "equal"), (torch.Tensor, "copy_"), (torch.Tensor, "data_ptr"),
    (torch.Tensor, "__eq__"), (builtins, "open"), (builtins, "__import__"), (torch.nn.Module, "__call__"), (torch.nn.Module, "load_state_dict")]
_TORCH = os.path.dirname(os.path.abspath(torch.__file__))
_MOST_LAYERS = 8


def snapshot() -> dict[str, list[tuple[Any, str, Any]]]:
    """What stands where, taken before a submission is loaded."""
    return {"clock": [(o, n, _standing(o, n)) for o, n in _CLOCKS], "harness": [(o, n, _standing(o, n)) for o, n in _HARNESS]}


def changed(before: dict[str, list[tuple[Any, str, Any]]]) -> dict[str, list[str]]:
    """The names that are no longer what they were, by group."""
    return {group: ["%s.%s" % (getattr(o, "__name__", o), n) for o, n, was in rows if not _leads_to(was, _standing(o, n))]
            for group, rows in before.items()}


def _standing(owner: Any, name: str) -> Any:
    return vars(owner).get(name, getattr(owner, name, None))


def _leads_to(was: Any, now: Any, layers: int = _MOST_LAYERS) -> bool:
    """Whether `now` is `was`, or a wrapper of torch's own that calls nothing else than `was`.

    Judged by the code that runs and the functions that it closes over: `__module__`, `__wrapped__` and other names can be claimed.
    """
    if now is was:
        return True
    if type(now) is not FunctionType or not layers or not _written_by_torch(now.__code__):
        return False
    inner = [value for value in map(_content, now.__closure__ or ()) if callable(value)]
    return bool(inner) and all(_leads_to(was, function, layers - 1) for function in inner)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # Not set yet.
        return None


def _written_by_torch(code: CodeType) -> bool:
    """Whether the file that the code says it is from is torch's, and holds that code: a file's name can be claimed, its text cannot."""
    path = os.path.abspath(code.co_filename)
    if os.path.commonpath([path, _TORCH]) != _TORCH:
        return False
    try:
        waiting = [importlib.machinery.SourceFileLoader("torch", path).get_code("torch")]
    except (OSError, ImportError, SyntaxError):
        return False
    for held in waiting:
        if _features(held) == _features(code):
            return True
        waiting += [constant for constant in held.co_consts if isinstance(constant, CodeType)]
    return False


def _features(code: CodeType) -> tuple[Any, ...]:
    """What tells code apart, whatever the interpreter made of it while it ran."""
    return code.co_name, code.co_firstlineno, code.co_code, code.co_names, code.co_freevars
