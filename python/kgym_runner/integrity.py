"""A tripwire on what submissions like to patch: clocks, synchronisation, comparison.

Nothing depends on it: times and comparisons are made outside the candidate's interpreter, so that a patch changes nothing. It tells a person that one
was tried. A submission that restores what it patched is not seen here.
"""
from __future__ import annotations

import builtins
import time
from typing import Any

import torch
import torch.testing

_CLOCKS = [(time, n) for n in ("time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "process_time", "sleep")] + [
    (torch.cuda, n) for n in ("synchronize", "Event", "Stream", "current_stream")] + [
    (torch.cuda.Event, n) for n in ("record", "elapsed_time", "synchronize", "query")]
_HARNESS = [(torch, n) for n in ("allclose", "equal", "isclose", "eq", "manual_seed", "empty", "empty_like", "frombuffer", "load", "save")] + [
    (torch.testing, "assert_close"), (torch.Tensor, "allclose"), (torch.Tensor, "equal"), (torch.Tensor, "copy_"), (torch.Tensor, "data_ptr"),
    (torch.Tensor, "__eq__"), (builtins, "open"), (builtins, "__import__"), (torch.nn.Module, "__call__"), (torch.nn.Module, "load_state_dict")]


def snapshot() -> dict[str, list[tuple[Any, str, Any]]]:
    """What stands where, taken before a submission is loaded."""
    return {"clock": [(o, n, vars(o).get(n, getattr(o, n, None))) for o, n in _CLOCKS],
            "harness": [(o, n, vars(o).get(n, getattr(o, n, None))) for o, n in _HARNESS]}


def changed(before: dict[str, list[tuple[Any, str, Any]]]) -> dict[str, list[str]]:
    """The names that are no longer what they were, by group."""
    return {group: ["%s.%s" % (getattr(o, "__name__", o), n) for o, n, was in rows if vars(o).get(n, getattr(o, n, None)) is not was]
            for group, rows in before.items()}
