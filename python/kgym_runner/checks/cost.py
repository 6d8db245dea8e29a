"""Whether a problem's CPU workload is small enough to judge thousands of submissions with, and large enough to time."""
from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import torch

from .finding import Finding
from .subject import Subject
from .values import copied

# A forward on the CPU scale, and making its inputs, in milliseconds; inputs and outputs together, in bytes.
FORWARD_MS = (0.03, 200.0)
INPUTS_MS = 50.0
MEMORY = 64 << 20


def _milliseconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return 1e3 * (time.perf_counter() - start)


def timing(s: Subject) -> Iterator[Finding]:
    forward = min(_milliseconds(lambda copies=[copied(x) for x in s.inputs]: s.model(*copies)) for _ in range(5))
    if not FORWARD_MS[0] <= forward <= FORWARD_MS[1]:
        message = f"forward takes {forward:.3f} ms; {FORWARD_MS[0]} to {FORWARD_MS[1]} ms is expected"
        yield Finding("time", "warning", message)
    inputs = min(_milliseconds(s.module.get_inputs) for _ in range(3))
    if inputs > INPUTS_MS:
        yield Finding("time", "warning", f"get_inputs takes {inputs:.0f} ms; at most {INPUTS_MS:.0f} ms is expected")


def memory(s: Subject) -> Iterator[Finding]:
    tensors = [x for x in s.inputs if torch.is_tensor(x)] + list(s.outputs.values())
    size = sum(t.nbytes for t in tensors)
    if size > MEMORY:
        message = f"inputs and outputs take {size >> 20} MiB; at most {MEMORY >> 20} MiB is expected"
        yield Finding("memory", "warning", message)
