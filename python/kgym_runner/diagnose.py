"""Why an output is wrong: facts about a wrong answer that tell a cheat or a habit from an honest mistake. Runs only after a mismatch.

Each fact is a measurement on bytes, never on source text: the judge weighs them.
"""
from __future__ import annotations

import copy
from typing import Any, Iterable

import torch

from .compare import compare, in_order, structure
from .tolerance import Tolerance, rms
from .tree import leaves, rebuild


def constant(got: Any, expected: Any) -> bool:
    """Every tensor is one value throughout, where at least one of the reference's is not."""
    def flat(t: torch.Tensor) -> bool:
        return t.numel() == 0 or bool((t == t.reshape(-1)[0]).all())
    pairs = [(g, e) for g, e in in_order(got, expected) if e.numel() > 1]
    return bool(pairs) and all(flat(g) for g, _ in pairs) and not all(flat(e) for _, e in pairs)


def copy_of_input(got: Any, inputs: list[Any]) -> int | None:
    """The index of the input whose elements the first output repeats."""
    first = next(leaves(got), None)
    for i, x in enumerate(leaves(inputs)):
        if first is not None and x.dtype == first.dtype and x.numel() == first.numel() and x.numel() and torch.equal(x.reshape(-1), first.reshape(-1)):
            return i
    return None


def unwritten(got: Any, pattern: int) -> float:
    """The share of elements whose bytes are all the allocator's fill pattern: memory that nobody wrote."""
    hits = total = 0
    for t in leaves(got):
        raw = t.contiguous().reshape(-1).view(torch.uint8).view(-1, t.element_size()) if t.numel() else torch.empty(0, 1, dtype=torch.uint8)
        for byte in (pattern, pattern ^ 0xFF):
            hits += int((raw == byte).all(dim=1).sum())
        total += t.numel()
    return hits / total if total else 0.0


def earlier(got: Any, history: Iterable[tuple[int, Any]], allowed: list[Tolerance | None]) -> int | None:
    """Which earlier call's answer this is, if any."""
    for number, answer in history:
        if not compare(got, answer, allowed).kind:
            return number
    return None


def _rounded(t: torch.Tensor, how: str) -> torch.Tensor:
    if not t.is_floating_point() or t.element_size() < 4:
        return t
    if how == "tf32":
        bits = t.float().contiguous().view(torch.int32)
        return ((bits + 0x1000) & ~0x1FFF).view(torch.float32).to(t.dtype)
    return t.to(getattr(torch, how)).to(t.dtype)


def precision(model: torch.nn.Module, inputs: list[Any], got: Any, expected: Any) -> str | None:
    """float16, bfloat16 or tf32 when the error has the size that rounding the operands to it would give (within a factor of three)."""
    pairs = [(g, e) for g, e in in_order(got, expected) if e.dtype in (torch.float32, torch.float64) and e.numel()]
    if not pairs:
        return None
    def error(a: torch.Tensor, e: torch.Tensor) -> float:
        return rms(a.double() - e.double()) / (rms(e) or 1.0)
    mine = max(error(g, e) for g, e in pairs)
    if not 1e-5 < mine < 0.05:
        return None
    best: tuple[float, str] | None = None
    for how in ("float16", "bfloat16", "tf32"):
        lower = copy.deepcopy(model)
        for p in [*lower.parameters(), *lower.buffers()]:
            p.data = _rounded(p.data, how)
        simulated = lower(*rebuild(inputs, lambda t: _rounded(t.clone(), how)))
        if structure(simulated, expected).kind:
            continue
        theirs = max([error(_rounded(s, how) if how != "tf32" else s, e) for s, e in in_order(simulated, expected) if e.dtype == pairs[0][1].dtype] or [0.0])
        if theirs and 1 / 3 < mine / theirs < 3:
            off = abs(mine / theirs - 1)
            best = min(best, (off, how)) if best else (off, how)
    return best[1] if best else None
