"""Runs a reference host's operations on the problem that standard input has, and says what each held at most. Started by test_memory.py;
with the argument `wrong`, a wrong answer is among them.

The peak of the process's resident memory (VmHWM) is set back before each operation, so the figures are those of single operations, in units of the inputs
and outputs of one call, above what the process held before the problem was opened.
"""
from __future__ import annotations

import json
import sys
from typing import Any, Callable

import torch

from stand_ins import Probe, file_of
from kgym_runner.reference import Reference
from kgym_runner.tree import encode


def resident(key: str) -> int:
    """A line of /proc/self/status, in bytes."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith(key))


class Watched:
    """A reference host whose operations are watched."""

    def __init__(self) -> None:
        self.reference = Reference(Probe())
        self.before = resident("VmRSS")
        self.peaks: dict[str, int] = {}

    def ask(self, op: str, message: dict[str, Any], fds: list[int] | None = None) -> Any:
        return self.watch(op, lambda: getattr(self.reference, "op_" + op)(message, fds or []))

    def watch(self, name: str, action: Callable[[], Any]) -> Any:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as clear:
            clear.write("5")
        reply = action()
        self.peaks[name] = max(self.peaks.get(name, 0), resident("VmHWM") - self.before)
        return reply


def main() -> None:
    torch.set_grad_enabled(False)
    watched = Watched()
    fd = file_of(sys.stdin.read().encode())
    description = watched.ask("open", {"name": "large.py", "workload": "default", "seed": 42}, [fd])
    call = description["input_bytes"] + description["output_bytes"]
    watched.ask("begin", {"slots": 4, "max_bytes": 1 << 30, "honeypot_seed": 3})
    kinds = []

    def check(slot: int, factor: float = 1.0) -> None:
        """The candidate's part is done in place and a few rows at a time, so that it takes no memory."""
        s, e = watched.reference.evaluation.slots[slot], watched.reference.evaluation
        views, target = e.arena.read(s.tree), e.arena.view({**description["outputs"], "off": s.outputs_at})
        for i in range(0, len(target), 16):
            target[i:i + 16] = watched.reference.problem.forward([v[i:i + 16] for v in views]) * factor
        message = {"slot": slot, "outputs": encode(target, lambda t: 0), "pattern": 0x93}
        kinds.append(watched.ask("check", message)["difference"]["kind"])

    def fill(slot: int, kind: str, **more: int) -> None:
        watched.ask("fill", {"sets": [{"slot": slot, "kind": kind, "seed": 5, **more}], "poison": 7})

    fill(0, "fresh")
    fill(0, "near", **{"from": 0})
    check(0)
    fill(1, "same", **{"from": 0})
    check(1)
    if sys.argv[1:] == ["wrong"]:
        check(1, 1.01)
    fill(0, "fresh")
    watched.ask("time", {"slots": [1, 0]})
    check(0)
    watched.ask("end", {})
    print(json.dumps({"held": {name: peak / call for name, peak in watched.peaks.items()}, "kinds": kinds}))


if __name__ == "__main__":
    main()
