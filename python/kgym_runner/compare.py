"""Outputs against the reference's: structure first, then dtype, then which elements are not finite, then values. Nothing broadcasts.

`compare` looks at private copies only and returns what is wrong first, in the words of the verdict, with numbers that say how wrong.
"""
from __future__ import annotations

import cmath
import math
from dataclasses import dataclass, field
from typing import Any

import torch

from .tolerance import Tolerance, rms
from .tree import leaves
from .wire import Failure, clip

_SHOWN = 5


@dataclass
class Difference:
    """kind: "" (none), shape, dtype, nan or numerical. output: which tensor. stats: max_abs, max_rel, share_out, first elements."""
    kind: str = ""
    message: str = ""
    output: int = 0
    stats: dict[str, Any] = field(default_factory=dict)

    def json(self) -> dict[str, Any]:
        return {"kind": self.kind, "message": clip(self.message, 1000), "output": self.output, **self.stats}


def _word(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return "a tensor of shape %s" % (list(value.shape),)
    if isinstance(value, (list, tuple)):
        return "a %s of %d" % (type(value).__name__, len(value))
    if isinstance(value, dict):
        return "a dict with keys %s" % clip(", ".join(sorted(map(repr, value))[:8]), 200)
    return "None" if value is None else "a %s" % type(value).__name__


def structure(got: Any, expected: Any, where: str = "the output") -> Difference:
    """Nesting, shapes and dtypes. A list may stand for a tuple; the order of a dict's keys is free."""
    if isinstance(expected, torch.Tensor):
        if not isinstance(got, torch.Tensor) or got.shape != expected.shape:
            return Difference("shape", "%s is %s; %s is expected" % (where, _word(got), _word(expected)))
        if got.dtype != expected.dtype:
            return Difference("dtype", "%s has dtype %s; %s is expected" % (where, got.dtype, expected.dtype))
        return Difference()
    if isinstance(expected, (list, tuple)):
        if not isinstance(got, (list, tuple)) or len(got) != len(expected):
            return Difference("shape", "%s is %s; %s is expected" % (where, _word(got), _word(expected)))
        return next((d for i, e in enumerate(expected) if (d := structure(got[i], e, "%s[%d]" % (where, i))).kind), Difference())
    if isinstance(expected, dict):
        if not isinstance(got, dict) or got.keys() != expected.keys():
            return Difference("shape", "%s is %s; %s is expected" % (where, _word(got), _word(expected)))
        return next((d for k, e in expected.items() if (d := structure(got[k], e, "%s[%r]" % (where, k))).kind), Difference())
    if isinstance(got, torch.Tensor) or type(got) is not type(expected):
        return Difference("shape", "%s is %s; %s is expected" % (where, _word(got), _word(expected)))
    return _scalar(got, expected, where)


def _scalar(got: Any, expected: Any, where: str) -> Difference:
    """Numbers within a relative 1e-5, where both are finite; everything else equal, NaN to NaN."""
    close = got == expected
    if isinstance(expected, (float, complex)):
        finite = cmath.isfinite(got) and cmath.isfinite(expected)
        close = close or repr(got) == repr(expected) or (finite and abs(got - expected) <= 1e-5 * abs(expected))
    return Difference() if close else Difference("numerical", "%s is %s; %s is expected" % (where, clip(repr(got), 200), clip(repr(expected), 200)))


def in_order(got: Any, expected: Any) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Pairs of tensors of two values that have the same structure, in the order of the expected one."""
    if isinstance(expected, torch.Tensor):
        return [(got, expected)]
    if isinstance(expected, (list, tuple)):
        return [p for g, e in zip(got, expected) for p in in_order(g, e)]
    if isinstance(expected, dict):
        return [p for k, e in expected.items() for p in in_order(got[k], e)]
    return []


def _first(bad: torch.Tensor, got: torch.Tensor, expected: torch.Tensor) -> list[dict[str, Any]]:
    """The first few elements that are out: index, got, expected."""
    where = bad.reshape(-1).nonzero()[:_SHOWN, 0].tolist()
    rows = []
    for flat in where:
        index = [int(i) for i in torch.unravel_index(torch.tensor(flat), expected.shape)] if expected.dim() else []
        rows.append({"index": index, "got": str(got.reshape(-1)[flat].item()), "expected": str(expected.reshape(-1)[flat].item())})
    return rows


def _classes(t: torch.Tensor) -> torch.Tensor:
    """0 for finite, 1 for NaN, 2 for +inf, 3 for -inf."""
    if t.is_complex():
        real, imag = torch.view_as_real(t).unbind(-1)
        return 4 * _classes(real) + _classes(imag)
    return torch.isnan(t).to(torch.int8) + 2 * torch.isposinf(t).to(torch.int8) + 3 * torch.isneginf(t).to(torch.int8)


def values(got: torch.Tensor, expected: torch.Tensor, allowed: Tolerance | None, output: int) -> Difference:
    """One tensor against another of its shape and dtype."""
    if expected.numel() == 0:
        return Difference()
    if allowed is None:
        return _exact(got, expected, output)
    wide = torch.float32 if expected.element_size() < 4 else expected.dtype
    g, e = got.to(wide), expected.to(wide)
    error, size = (g - e).abs(), e.abs()
    numbers = _numbers(error, size, allowed)
    if numbers is None:  # Something is not finite, or too large or small for a sum of squares.
        unlike = _classes(g) != _classes(e)
        if bool(unlike.any()):
            share = float(unlike.double().mean())
            return Difference("nan", "%.3g %% of the elements of output %d are NaN or Inf where the reference's are not, or the reverse" % (100 * share, output), output,
                              {"share_out": share, "first": _first(unlike, got, expected)})
        finite, zero = torch.isfinite(e.abs()), torch.zeros((), dtype=error.dtype, device=error.device)
        error, size = torch.where(finite, error, zero), torch.where(finite, size, zero)
        numbers = _slow_numbers(error, size, allowed)
    return _within(got, expected, error, size, allowed, output, *numbers)


def _numbers(error: torch.Tensor, size: torch.Tensor, allowed: Tolerance) -> tuple[float, float, float, float, float] | None:
    """Largest error, largest relative error, rms of the errors, rms of the sizes, elements out of tolerance; fetched at once, since on a shared GPU each
    fetch waits for a turn of the card. None where a sum of squares is not to be trusted."""
    root = math.sqrt(error.numel())
    scale = torch.linalg.vector_norm(size, dtype=torch.float64) / root
    out = (error > size * allowed.rtol + (allowed.atol_rms * scale).to(error.dtype)).sum()
    relative = (error / size.clamp_min((1e-3 * scale + 1e-30).to(error.dtype))).max()
    found = torch.stack([error.max().double(), relative.double(), torch.linalg.vector_norm(error, dtype=torch.float64) / root, scale, out.double()]).tolist()
    return None if not all(map(math.isfinite, found)) or not all(n == 0 or 1e-150 < n < 1e150 for n in found[:4]) else tuple(found)


def _slow_numbers(error: torch.Tensor, size: torch.Tensor, allowed: Tolerance) -> tuple[float, float, float, float, float]:
    """The same for any finite values."""
    scale = rms(size)
    out = float((error > size * allowed.rtol + allowed.atol_rms * scale).sum())
    return float(error.max()), float((error / size.clamp_min(1e-3 * scale + 1e-30)).max()), rms(error), scale, out


def _exact(got: torch.Tensor, expected: torch.Tensor, output: int) -> Difference:
    if torch.equal(got, expected):
        return Difference()
    bad = got != expected
    share = float(bad.double().mean())
    return Difference("numerical", "%.3g %% of the elements of output %d differ" % (100 * share, output), output,
                      {"share_out": share, "first": _first(bad, got, expected)})


def _within(got: torch.Tensor, expected: torch.Tensor, error: torch.Tensor, size: torch.Tensor, allowed: Tolerance, output: int,
            max_abs: float, max_rel: float, error_rms: float, scale: float, out: float) -> Difference:
    """Finite errors against the tolerance, with the numbers that say how far they are from it."""
    stats = {"max_abs": max_abs, "max_rel": max_rel, "rms_rel": error_rms / (scale or 1.0), "share_out": out / error.numel()}
    if not out:
        return Difference("", "", output, stats)
    stats["first"] = _first(error > size * allowed.rtol + allowed.atol_rms * scale, got, expected)
    return Difference("numerical", "%.3g %% of the elements of output %d are out of tolerance; the largest error is %.3g (rtol %.2g, atol %.2g of rms %.3g)" % (
        100 * stats["share_out"], output, max_abs, allowed.rtol, allowed.atol_rms, scale), output, stats)


def compare(got: Any, expected: Any, allowed: list[Tolerance | None]) -> Difference:
    """The first difference, or one without kind whose stats are those of the tensor with the largest error."""
    if (found := structure(got, expected)).kind:
        return found
    best = Difference()
    pairs = in_order(got, expected)
    if len(pairs) != len(allowed):
        raise Failure("problem", "Model.forward returned %d tensors where it returned %d before" % (len(pairs), len(allowed)))
    for i, ((g, e), tolerance) in enumerate(zip(pairs, allowed)):
        found = values(g, e, tolerance, i)
        if found.kind:
            return found
        if found.stats.get("max_rel", 0.0) >= best.stats.get("max_rel", 0.0):
            best = found
    return best


def _raw(t: torch.Tensor) -> torch.Tensor:
    """The bits as integers, in logical order."""
    flat = t.resolve_conj().resolve_neg().contiguous().reshape(-1)
    if flat.is_complex():
        flat = torch.view_as_real(flat).reshape(-1)
    return flat.view({1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[flat.element_size()])


def bits_differ(pairs: list[tuple[Any, Any]]) -> list[bool]:
    """For each pair of values, whether their tensors differ in shape, dtype or any bit; fetched at once (see _numbers)."""
    known: list[bool | None] = []
    flags: list[torch.Tensor] = []
    owners: list[int] = []
    for i, (a, b) in enumerate(pairs):
        left, right = list(leaves(a)), list(leaves(b))
        alike = len(left) == len(right) and all(x.shape == y.shape and x.dtype == y.dtype for x, y in zip(left, right))
        known.append(not alike)
        for x, y in zip(left, right) if alike else ():
            flags.append((_raw(x) != _raw(y)).any())
            owners.append(i)
    for owner, differs in zip(owners, torch.stack(flags).tolist() if flags else []):
        known[owner] = known[owner] or differs
    return known


def equal_bits(a: Any, b: Any) -> bool:
    """Whether two values have the same tensors, bit for bit (so a NaN equals itself, and 0 is not -0). Other leaves are not looked at."""
    left, right = list(leaves(a)), list(leaves(b))
    return len(left) == len(right) and all(x.shape == y.shape and x.dtype == y.dtype and torch.equal(_raw(x), _raw(y)) for x, y in zip(left, right))
