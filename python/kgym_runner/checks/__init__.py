"""What makes a problem fit to judge with, checked by running it.

A problem is sound when every input and every parameter matters, when nothing but them matters, when no answer that needs no work comes near the right
one, and when it can be timed on a card. `check_problem` says where a problem is not: an `error` would let a wrong submission pass or a right one fail,
or keeps the problem from being judged; a `warning` is worth a look. `examine` does so for the judge: at the problem's own sizes or at smaller ones, within
the memory and time that there are, with repairs proposed. docs/problems.md has the kinds of findings.

Threads: any, one at a time in a process, since torch's random state is the process's. Only for code that is trusted.
"""
from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import torch

from .. import device
from . import answers, dependence, operators, repair, size
from .cost import memory, timing
from .finding import Finding, Repair
from .form import form
from .subject import Subject, Unsound

__all__ = ["Finding", "Repair", "check_problem", "examine"]

Check = Callable[[Subject], Iterator[Finding]]

CHECKS: list[Check] = [dependence.repeats, dependence.mutation, dependence.seeds, dependence.inputs, dependence.parameters, answers.varies, answers.trivial,
                       answers.small, answers.tolerance, answers.finite, answers.perturbs, operators.redundant]

# Which check looks for a kind of finding that other inputs may mend.
_LOOKS_FOR: dict[str, Check] = {"constant": answers.varies, "trivial_answer": answers.trivial, "small_signal": answers.small, "precision": answers.tolerance,
                                "insensitive": dependence.inputs, "fixed_inputs": dependence.inputs}

# Of a call that --fit is content with: operations, and bytes of inputs, outputs and weights.
_FITTED_FLOPS, _FITTED_BYTES = 5e8, 16 << 20


def check_problem(module: ModuleType, workload: str, seeds: tuple[int, ...], samples: int = 48, until: float = float("inf")) -> list[Finding]:
    """All faults found in a loaded problem; an empty list is a sound problem.

    module: as loaded, the globals of the workload set. workload: its name; "cpu" is held to limits of time and memory. seeds: at least two, all
    different; raises ValueError when they are not. samples: parameters and operators to look at, at most. until: no check is begun after this moment of
    time.monotonic(). The inputs and the model are the current device's.
    """
    if len(set(seeds)) < 2 or len(set(seeds)) != len(seeds):
        raise ValueError(f"seeds is {seeds}; at least two different ones are expected")
    findings = list(form(module, workload))
    if any(f.severity == "error" for f in findings):
        return findings
    here = device.current()
    with torch.random.fork_rng(devices=[] if here.name == "cpu" else [0]), torch.no_grad():
        try:
            subject = Subject(module, seeds, samples)
        except Unsound as fault:
            return [*findings, fault.finding]
        except Exception as error:  # noqa: BLE001
            return [*findings, _failed(error, "")]
        return findings + _looked_for(subject, CHECKS + ([timing, memory] if workload == "cpu" else []), until)


def _looked_for(subject: Subject, checks: list[Check], until: float) -> list[Finding]:
    findings: list[Finding] = []
    for i, check in enumerate(checks):
        if time.monotonic() > until:
            left = ", ".join(c.__name__ for c in checks[i:])
            return [*findings, Finding("unfinished", "warning", f"no time was left to look at: {left}", Repair("a higher limits.open"))]
        try:
            findings += check(subject)
        except Exception as error:  # noqa: BLE001
            findings.append(_failed(error, f"while looking at {check.__name__}: "))
        device.current().give_back()
    try:
        return repair.repaired(subject, findings, _LOOKS_FOR)
    except Exception:  # noqa: BLE001  (a repair is an offer)
        return findings


def _failed(error: Exception, when: str) -> Finding:
    kind = "too_big" if isinstance(error, (torch.OutOfMemoryError, MemoryError)) or "can't allocate memory" in str(error) else "does_not_run"
    return Finding(kind, "error", f"{when}{type(error).__name__}: {error}")


def examine(load: size.Load, workload: str, seeds: tuple[int, ...], *, fit: bool, room: int, seconds: float) -> dict[str, Any]:
    """{findings, size, sizes}: size, of the problem as it is (None where it cannot be told); sizes, the globals in whose place smaller ones were set.

    load: the problem with some globals replaced. fit: a problem that is large is looked at with smaller sizes. room: bytes of a CPU's memory there are for
    looking at it; a card says itself what is free. seconds: roughly how long it may take.
    """
    until = time.monotonic() + seconds
    card = size.CARD
    if device.current().name != "cpu":
        room, card = torch.cuda.mem_get_info()
    module = load({})
    own = size.size_of(module)
    findings: list[Finding] = []
    if own is not None:
        findings += size.too_big(load, own, math.inf if fit else room, card, until)
        findings += size.too_small(load, own, until) if workload != "cpu" or workload not in getattr(module, "WORKLOADS", {}) else []
    sizes: dict[str, Any] = {}
    looked_at = own
    if fit and own is not None:
        def cost(s: size.Size) -> float:
            return max(s.flops / _FITTED_FLOPS, (s.inputs + s.outputs + s.state) / _FITTED_BYTES, s.check_bytes / room)
        sizes, looked_at = size.shrunk(load, own, cost, until)
        module = load(sizes) if sizes else module
    if looked_at is None or looked_at.check_bytes <= room:
        scale = "fitted" if sizes else workload if workload in getattr(module, "WORKLOADS", {}) else "default"
        findings += check_problem(module, scale, seeds, size.samples_for(looked_at) if device.current().name == "cpu" else 48, until)
    return {"findings": [f.json() for f in findings], "size": own.json() if own else None, "sizes": sizes}
