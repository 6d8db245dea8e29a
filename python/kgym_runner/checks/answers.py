"""Whether a wrong answer would show: what needs no work, what was remembered, what is too small for a tolerance, what was computed in fewer bits."""
from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch

from .. import device
from ..diagnose import simulate_products
from ..problem import reduction_length
from ..tolerance import in_float64, rms, tolerances
from .finding import Finding, Repair
from .subject import Subject
from .values import LOOSE, STRICT, close, finite_share, identical, named_leaves, pieces, within

# What KernelBench compares with: as rtol, and as an absolute atol.
ABSOLUTE = {torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 1e-2}

# Elements of an output: in a loss, a sum of thousands of terms, their rounding averages out, and nothing tells TF32 from an honest order of summing.
_FEWEST = 64

_SIGNAL = Repair("change what makes the output nearly constant: an average over too much, or operators that cancel")


def _within(tolerance: tuple[float, float]) -> str:
    return "" if tolerance == STRICT else f", within {tolerance[0]:.0%}"


def varies(s: Subject) -> Iterator[Finding]:
    """An output remembered from other inputs must be wrong."""
    alike = {path: [STRICT, LOOSE] for path in s.outputs}
    for number in s.seeds[1:]:
        others = s.outputs_of(number)
        for path, expected in s.outputs.items():
            alike[path] = [t for t in alike[path] if close(others.get(path), expected, t)]
    for path, tolerance in ((path, found[0]) for path, found in alike.items() if found):
        yield Finding("constant", "error" if tolerance == STRICT else "warning", f"{path} is the same for all seeds{_within(tolerance)}", _SIGNAL)


def trivial(s: Subject) -> Iterator[Finding]:
    """Answers that need no work must be wrong, each output taken alone."""
    for path, expected in s.outputs.items():
        passing: dict[tuple[float, float], list[str]] = {STRICT: [], LOOSE: []}
        for name, answer in _trivial_answers(expected, s.inputs):
            tolerance = next((t for t in passing if close(answer, expected, t)), None)
            if tolerance:
                passing[tolerance].append(name)
        for tolerance, severity in ((STRICT, "error"), (LOOSE, "warning")):
            if passing[tolerance]:
                yield Finding("trivial_answer", severity, f"{path} passes as {' or '.join(passing[tolerance])}{_within(tolerance)}", _SIGNAL)


def _mean(x: torch.Tensor) -> float:
    values = x if bool(x.isfinite().all()) else x[x.isfinite()]
    return values.mean(dtype=torch.float64).item() if values.numel() else 0.0


def _trivial_answers(expected: torch.Tensor, inputs: list[Any]) -> Iterator[tuple[str, torch.Tensor]]:
    yield "zeros", torch.zeros_like(expected)
    yield "ones", torch.ones_like(expected)
    if expected.numel() > 1 and expected.is_floating_point():
        yield "a constant", torch.full_like(expected, _mean(expected))
    for i, x in enumerate(inputs):
        if torch.is_tensor(x) and x.shape == expected.shape:
            yield f"a copy of input {i}", x.to(expected.dtype)


def small(s: Subject) -> Iterator[Finding]:
    """An absolute tolerance, as KernelBench has it, must be below the signal. The judge's own follows the output's scale."""
    for path, expected in s.outputs.items():
        allowed = ABSOLUTE.get(expected.dtype)
        if allowed is None or not expected.numel() or finite_share(expected) < 1:
            continue
        zeros, scale = torch.zeros_like(expected), rms(expected)
        if not scale:
            continue  # Nothing but zeros: no tolerance would tell.
        if within(zeros, expected, allowed, allowed):
            name = "all zeros"
        elif not close(mean := torch.full_like(expected, _mean(expected)), expected, LOOSE) and within(mean, expected, allowed, allowed):
            name = f"{_mean(expected):.3g} everywhere"
        else:
            continue
        yield Finding("small_signal", "warning", f"{path} has a root mean square of {scale:.2g}: {name} would pass with an absolute tolerance of {allowed:g}",
                      Repair("compare relative to the output's root mean square, as this judge does"))


def tolerance(s: Subject) -> Iterator[Finding]:
    """What the judge will allow must be below the signal, and below the error of products in TF32."""
    expected = list(s.outputs.values())
    with device.current().precise():
        doubled = in_float64(s.model, s.inputs)
    exact = None if doubled is None else [leaf for _, leaf in named_leaves(doubled, "")]
    allowed = tolerances(expected, exact, reduction_length(s.module), s.meta.get("tolerance") or {})
    for (path, answer), limit in zip(s.outputs.items(), allowed):
        if limit and close(torch.zeros_like(answer), answer, (limit.rtol, limit.atol_rms)) and rms(answer):
            yield Finding("tolerance", "error", f"zeros pass for {path}: rtol {limit.rtol:g} and atol_rms {limit.atol_rms:g} allow them",
                          Repair("leave META['tolerance'] out: what the judge derives is below 0.1 % for float32"))
    yield from _low_products(s, exact, allowed)


def _low_products(s: Subject, exact: list[torch.Tensor] | None, allowed: list[Any]) -> Iterator[Finding]:
    with device.current().precise():
        rounded = simulate_products(s.model, s.inputs, "tf32")
    s.restore()
    if rounded is None or any(t.dtype != torch.float32 or t.numel() < _FEWEST for t in s.outputs.values()):
        return
    pairs = list(zip(s.outputs.items(), (leaf for _, leaf in named_leaves(rounded, "")), allowed))
    if any(got.shape != answer.shape for (_, answer), got, _ in pairs) or all(identical(got, answer) for (_, answer), got, _ in pairs):
        return  # No product of float32 in it.
    if not all(limit and close(got, answer, (limit.rtol, limit.atol_rms)) for (_, answer), got, limit in pairs):
        return
    worst = max(_error(got, answer) for (_, answer), got, _ in pairs)
    own = max((_error(answer, e.to(answer.dtype)) for (_, answer), e in zip(s.outputs.items(), exact or [])), default=0.0)
    message = f"products with operands rounded to TF32 are within tolerance (off by {worst:.1g} of the root mean square, float32 itself by {own:.1g})"
    yield Finding("precision", "warning", message, _tighter(worst, own) if exact else None)


def _error(got: torch.Tensor, expected: torch.Tensor) -> float:
    scale = rms(expected)
    return max((float((a - e).abs().max()) for a, e in pieces(got, expected)), default=0.0) / scale if scale else 0.0


def _tighter(worst: float, own: float) -> Repair | None:
    """A tolerance between the two errors, where there is room for an honest sum in another order (four times the reference's own error)."""
    if worst < 8 * own or not worst:
        return None
    between = float(f"{max(4 * own, math.sqrt(worst * max(own, worst / 64))):.1e}")
    return Repair(f"META['tolerance'] = {{'rtol': 0.0, 'atol_rms': {between:g}}}, above float32's own error and below TF32's",
                  meta={"tolerance": {"rtol": 0.0, "atol_rms": between}}, confirmed=between < worst)


def finite(s: Subject) -> Iterator[Finding]:
    for path, leaf in s.outputs.items():
        share = 1 - finite_share(leaf)
        if share > 0:
            message = f"{share:.1%} of {path} is infinite or not a number"
            yield Finding("non_finite", "error" if share > 0.5 else "warning", message, Repair("draw inputs from where the function is finite"))


def perturbs(s: Subject) -> Iterator[Finding]:
    """The judge makes unlike inputs by scaling a block of each; unless META forbids it the problem must bear that."""
    if s.meta.get("perturb", True) is False:
        return
    for i, x in enumerate(s.inputs):
        if not torch.is_tensor(x) or not x.is_floating_point():
            continue
        scaled = x.clone(memory_format=torch.contiguous_format)
        scaled.view(-1)[: max(1, x.numel() // 2)] *= 4
        for path, leaf in s.exchanged(i, scaled).items():
            if finite_share(leaf) < finite_share(s.outputs[path]):
                message = f"{path} is not finite once half of input {i} is scaled by 4; set META['perturb'] to False"
                yield Finding("perturb", "error", message, Repair("META['perturb'] = False", meta={"perturb": False}))
