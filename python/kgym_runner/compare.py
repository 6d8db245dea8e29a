"""Outputs against the reference's: structure first, then dtype, then which elements are not finite, then values. Nothing broadcasts.

`compare` returns what is wrong first, in the words of the verdict, with numbers that say how wrong. What it is given as `got` must be a private copy,
but for large tensors: those are compared piece by piece (pieces.py), each piece copied once before it is looked at, so they may lie in memory that others write.
"""
from __future__ import annotations

import cmath
import math
from dataclasses import dataclass, field
from typing import Any, Callable

import torch

from .pieces import is_big, pieces
from .tolerance import Tolerance, rms, rms_of_finite, together
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
        # In quarters: the size of a complex number, or a difference, may be too large for a number.
        close = close or repr(got) == repr(expected) or (finite and abs(got / 4 - expected / 4) <= 1e-5 * abs(expected / 4))
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


def _first(bad: torch.Tensor, got: torch.Tensor, expected: torch.Tensor, at: int = 0, shape: torch.Size | None = None) -> list[dict[str, Any]]:
    """The first few elements that are out: index, got, expected. at, shape: where a piece starts in the whole, and the shape of that."""
    shape = expected.shape if shape is None else shape
    rows = []
    for flat in bad.reshape(-1).nonzero()[:_SHOWN, 0].tolist():
        index = [int(i) for i in torch.unravel_index(torch.tensor(at + flat), shape)] if len(shape) else []
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
    if is_big(expected):
        return _by_pieces(got, expected, allowed, output)
    if allowed is None:
        return Difference() if torch.equal(got, expected) else _exact(got, expected, output)
    g, e = _wide(got), _wide(expected)
    error, size = (g - e).abs(), e.abs()
    numbers = _numbers(error, size, allowed, torch.linalg.vector_norm(size, dtype=torch.float64) / math.sqrt(size.numel()))
    if numbers is None:  # Something is not finite, or too large or small for a sum of squares.
        unlike = _classes(g) != _classes(e)
        if bool(unlike.any()):
            return _unlike(float(unlike.double().mean()), output, _first(unlike, got, expected))
        error, size = _finite_only(error, size)
        numbers = _slow_numbers(error, size, allowed, rms(size))
    return _within(numbers, error.numel(), allowed, output, lambda scale: _first(_out(error, size, allowed, scale), got, expected))


def _wide(t: torch.Tensor, copy: bool = False) -> torch.Tensor:
    return t.to(torch.float32 if t.element_size() < 4 else t.dtype, copy=copy)


def _out(error: torch.Tensor, size: torch.Tensor, allowed: Tolerance, scale: float) -> torch.Tensor:
    return error > size * allowed.rtol + allowed.atol_rms * scale


def _finite_only(error: torch.Tensor, size: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Zeros where the reference is not finite, and the answer is like it."""
    zero = torch.zeros((), dtype=error.dtype, device=error.device)
    finite = torch.isfinite(size)
    return torch.where(finite, error, zero), torch.where(finite, size, zero)


@dataclass(frozen=True)
class _Numbers:
    """Largest error, largest relative error, rms of the errors, rms of the sizes, elements out of tolerance."""
    max_abs: float
    max_rel: float
    error_rms: float
    scale: float
    out: float


def _numbers(error: torch.Tensor, size: torch.Tensor, allowed: Tolerance, scale: torch.Tensor) -> _Numbers | None:
    """Fetched at once, since on a shared GPU each fetch waits for a turn of the card. None where a sum of squares is not to be trusted."""
    out = (error > size * allowed.rtol + (allowed.atol_rms * scale).to(error.dtype)).sum()
    relative = (error / size.clamp_min((1e-3 * scale + 1e-30).to(error.dtype))).max()
    error_rms = torch.linalg.vector_norm(error, dtype=torch.float64) / math.sqrt(error.numel())
    found = torch.stack([error.max().double(), relative.double(), error_rms, scale, out.double()]).tolist()
    return None if not all(map(math.isfinite, found)) or not all(n == 0 or 1e-150 < n < 1e150 for n in found[:4]) else _Numbers(*found)


def _slow_numbers(error: torch.Tensor, size: torch.Tensor, allowed: Tolerance, scale: float) -> _Numbers:
    """The same for any finite values."""
    out = float(_out(error, size, allowed, scale).sum())
    return _Numbers(float(error.max()), float((error / size.clamp_min(1e-3 * scale + 1e-30)).max()), rms(error), scale, out)


def _unlike(share: float, output: int, first: list[dict[str, Any]]) -> Difference:
    return Difference("nan", "%.3g %% of the elements of output %d are NaN or Inf where the reference's are not, or the reverse" % (100 * share, output), output,
                      {"share_out": share, "first": first})


def _exact(got: torch.Tensor, expected: torch.Tensor, output: int) -> Difference:
    bad = got != expected
    return _unequal(float(bad.double().mean()), output, _first(bad, got, expected))


def _unequal(share: float, output: int, first: list[dict[str, Any]]) -> Difference:
    return Difference("numerical", "%.3g %% of the elements of output %d differ" % (100 * share, output), output, {"share_out": share, "first": first})


def _within(n: _Numbers, count: int, allowed: Tolerance, output: int, first: Callable[[float], list[dict[str, Any]]]) -> Difference:
    """Finite errors against the tolerance, with the numbers that say how far they are from it."""
    stats = {"max_abs": n.max_abs, "max_rel": n.max_rel, "rms_rel": n.error_rms / (n.scale or 1.0), "share_out": n.out / count}
    if not n.out:
        return Difference("", "", output, stats)
    stats["first"] = first(n.scale)
    return Difference("numerical", "%.3g %% of the elements of output %d are out of tolerance; the largest error is %.3g (rtol %.2g, atol %.2g of rms %.3g)" % (
        100 * stats["share_out"], output, n.max_abs, allowed.rtol, allowed.atol_rms, n.scale), output, stats)


def _scale(expected: torch.Tensor) -> float:
    """The rms of a large tensor as `values` takes it: elements that are not finite count as zeros."""
    found, finite = together([rms_of_finite(_wide(part).abs()) for _, (part,) in pieces(expected)])
    return found * math.sqrt(finite / expected.numel())


@dataclass
class _Tally:
    """What pieces of one tensor add up to. unlike: elements whose class is wrong; first: the first few of those, or, without any, of those out of tolerance."""
    numbers: list[tuple[_Numbers, int]] = field(default_factory=list)
    unlike: int = 0
    first_unlike: list[dict[str, Any]] = field(default_factory=list)
    first_out: list[dict[str, Any]] = field(default_factory=list)

    def sum(self, scale: float) -> _Numbers:
        each = [n for n, _ in self.numbers]
        return _Numbers(max(n.max_abs for n in each), max(n.max_rel for n in each), together([(n.error_rms, count) for n, count in self.numbers])[0], scale, sum(n.out for n in each))


def _by_pieces(got: torch.Tensor, expected: torch.Tensor, allowed: Tolerance | None, output: int) -> Difference:
    """The same as `values`, piece by piece, each copied once: `got` may be memory that others write."""
    if allowed is None:
        return _exact_by_pieces(got, expected, output)
    count, tally, scale = expected.numel(), _Tally(), _scale(expected)
    scale_there = torch.tensor(scale, dtype=torch.float64, device=expected.device)
    for at, (g, e) in pieces(got, expected):
        _add(tally, at, _wide(g, copy=True), e, allowed, scale_there, scale, expected.shape)
    if tally.unlike:
        return _unlike(tally.unlike / count, output, tally.first_unlike)
    return _within(tally.sum(scale), count, allowed, output, lambda _: tally.first_out)


def _add(tally: _Tally, at: int, g: torch.Tensor, expected: torch.Tensor, allowed: Tolerance, scale_there: torch.Tensor, scale: float, shape: torch.Size) -> None:
    e = _wide(expected)
    error, size = (g - e).abs(), e.abs()
    numbers = _numbers(error, size, allowed, scale_there)
    if numbers is None:
        unlike = _classes(g) != _classes(e)
        if wrong := int(unlike.sum()):
            tally.unlike += wrong
            tally.first_unlike = [*tally.first_unlike, *_first(unlike, g.to(expected.dtype), expected, at, shape)][:_SHOWN]
            return
        error, size = _finite_only(error, size)
        numbers = _slow_numbers(error, size, allowed, scale)
    tally.numbers.append((numbers, int(torch.isfinite(error).sum()) if math.isinf(numbers.max_abs) else error.numel()))
    if numbers.out and len(tally.first_out) < _SHOWN:
        tally.first_out = [*tally.first_out, *_first(_out(error, size, allowed, scale), g.to(expected.dtype), expected, at, shape)][:_SHOWN]


def _exact_by_pieces(got: torch.Tensor, expected: torch.Tensor, output: int) -> Difference:
    wrong, first = 0, []
    for at, (g, e) in pieces(got, expected):
        g = g.clone()
        if torch.equal(g, e):
            continue
        bad = g != e
        wrong += int(bad.sum())
        first = first if len(first) >= _SHOWN else [*first, *_first(bad, g, e, at, expected.shape)][:_SHOWN]
    return _unequal(wrong / expected.numel(), output, first) if wrong else Difference()


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


def _bits_unequal(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Whether two tensors of one shape and dtype differ in a bit, as a tensor of one bool. Each byte is read once."""
    if not is_big(a):
        return (_raw(a) != _raw(b)).any()
    differs = torch.zeros((), dtype=torch.bool, device=a.device)
    for _, (x, y) in pieces(a, b):
        differs |= (_raw(x) != _raw(y)).any()
    return differs


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
            flags.append(_bits_unequal(x, y))
            owners.append(i)
    for owner, differs in zip(owners, torch.stack(flags).tolist() if flags else []):
        known[owner] = known[owner] or differs
    return known


def _equal_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    if not is_big(a):
        return torch.equal(_raw(a), _raw(b))
    return all(torch.equal(_raw(x), _raw(y)) for _, (x, y) in pieces(a, b))


def equal_bits(a: Any, b: Any) -> bool:
    """Whether two values have the same tensors, bit for bit (so a NaN equals itself, and 0 is not -0). Other leaves are not looked at."""
    left, right = list(leaves(a)), list(leaves(b))
    return len(left) == len(right) and all(x.shape == y.shape and x.dtype == y.dtype and _equal_bits(x, y) for x, y in zip(left, right))
