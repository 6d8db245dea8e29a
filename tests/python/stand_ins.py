"""Stand-ins for what surrounds the runner's hosts: a probe, an arena, a judge that asks in process.

Used by the tests of python/kgym_runner only. Importing it puts the runner on the path and gives torch one thread.
"""
from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any, Callable

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(Path(__file__).resolve().parent)]

import torch  # noqa: E402

from kgym_runner.reference import Reference  # noqa: E402
from kgym_runner.tree import Arena  # noqa: E402

torch.set_num_threads(1)

SUITE = sorted((ROOT / "problems").glob("level*/*.py"))
POISON, PATTERN = 0xA5, 0x93


class Probe:
    """What the native module does for a host, without clocks or an allocator."""

    def __init__(self) -> None:
        self.patterns: list[int] = []

    def run_batch(self, forward: Callable[..., Any], calls: list[tuple[Any, ...]], emit: Callable[[int, Any], None]) -> list[tuple[int, int]]:
        spans = []
        for i, inputs in enumerate(calls):
            start = time.perf_counter_ns()
            outputs = forward(*inputs)
            returned = time.perf_counter_ns()
            emit(i, outputs)
            spans.append((returned - start, time.perf_counter_ns() - returned))
        return spans

    def set_malloc_perturb(self, pattern: int) -> None:
        self.patterns.append(pattern)


def file_of(data: bytes) -> int:
    """A descriptor of a file with these bytes, at its start."""
    fd = os.memfd_create("test")
    os.write(fd, data)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def arena(length: int = 1 << 16) -> Arena:
    return Arena.over(torch.zeros(length, dtype=torch.uint8))


def problem_source(forward: str, inputs: str = "[torch.randn(8, 64)]", init: str = "", tail: str = "") -> str:
    """A problem's source, from the body of forward(self, x) and the value of get_inputs."""
    return f"""import torch
from torch import nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {init or "pass"}
    def forward(self, x):
        {forward}
def get_inputs():
    return {inputs}
def get_init_inputs():
    return []
{tail}"""


class Exchange:
    """A reference host with a problem open and an evaluation begun; `answer` puts outputs where a candidate would."""

    def __init__(self, source: str, slots: int = 3, **message: Any):
        torch.set_grad_enabled(False)
        self.reference = Reference(Probe())
        fd = file_of(source.encode())
        self.description = self.reference.op_open({"name": "test.py", "workload": "cpu", "seed": 42, **message}, [fd])
        os.close(fd)
        self.begun, _ = self.reference.op_begin({"slots": slots, "max_bytes": 1 << 30, "honeypot_seed": 3}, [])

    def fill(self, slot: int = 0, kind: str = "fresh", seed: int = 1, **more: Any) -> Any:
        return self.reference.op_fill({"sets": [{"slot": slot, "kind": kind, "seed": seed, **more}], "poison": POISON}, [])

    def inputs(self, slot: int = 0) -> list[Any]:
        """The arena's own copies, as a candidate gets them."""
        from kgym_runner.tree import plan
        s = self.reference.evaluation.slots[slot]
        return self.reference.evaluation.arena.read(plan(s.masters, s.inputs_at))

    def expected(self, slot: int = 0) -> Any:
        return self.reference.evaluation.answer(self.reference.evaluation.slots[slot])

    def check_tree(self, tree: Any, slot: int = 0) -> dict[str, Any]:
        return self.reference.op_check({"slot": slot, "outputs": tree, "pattern": PATTERN}, [])

    def answer(self, outputs: Any, slot: int = 0) -> dict[str, Any]:
        from kgym_runner.tree import encode
        s = self.reference.evaluation.slots[slot]
        return self.check_tree(encode(outputs, self.reference.evaluation.arena.writer(s.outputs_at, s.end), exact=True), slot)
