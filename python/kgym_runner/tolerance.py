"""How far an honest kernel may be from the reference (docs/correctness.md gives the reasoning).

For each output tensor: |got - expected| <= rtol * |expected| + atol_rms * rms(expected).

rtol grows with the length R of the longest sum as rounding does, eps * (64 + 4 sqrt(R)); atol_rms covers cancellation, where the answer is small but its
terms were not: eps * (8 + 2 sqrt(R)), or eight times the largest error beyond rtol that the reference itself has against its evaluation in float64, in units of the output's rms.
Both are capped, so that a badly conditioned problem does not accept anything. Integers and booleans must be equal.
"""
from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import Any

import torch

from .pieces import is_big, pieces
from .tree import leaves, rebuild

_CAP = {torch.float64: 1e-6, torch.float32: 1e-3, torch.float16: 2e-2, torch.bfloat16: 5e-2, torch.complex64: 1e-3, torch.complex128: 1e-6}
_USUAL = 4.0  # A kernel that rounds as torch does by default may be this much further off than torch was once: other inputs, larger ones in places.
_CAP_BELOW_16_BITS = 1.25  # In units of eps: one step of the format, whatever the answer.


@dataclass(frozen=True)
class Tolerance:
    rtol: float
    atol_rms: float

    def json(self) -> dict[str, float]:
        return {"rtol": self.rtol, "atol_rms": self.atol_rms}


def rms(tensor: torch.Tensor) -> float:
    """Root mean square of the finite elements; 0 for none. Accumulated in float64, so that the squares of no float32 overflow or vanish."""
    if is_big(tensor):
        return together([rms_of_finite(part) for _, (part,) in pieces(tensor)])[0]
    return rms_of_finite(tensor)[0]


def rms_of_finite(tensor: torch.Tensor) -> tuple[float, int]:
    """The root mean square of the finite elements, and how many there are."""
    values = tensor.detach() if tensor.element_size() > 1 else tensor.detach().float()
    found = _root_of_mean_square(values)
    if math.isfinite(found):
        return found, values.numel()
    values = values[torch.isfinite(values)]
    return _root_of_mean_square(values), values.numel()


def together(parts: list[tuple[float, int]]) -> tuple[float, int]:
    """The root mean square of all elements from those of parts and their counts."""
    top, count = max((r for r, _ in parts), default=0.0), sum(n for _, n in parts)
    if not top or not count or not math.isfinite(top):
        return top, count
    return top * math.sqrt(math.fsum(n * (r / top) ** 2 for r, n in parts) / count), count


def _root_of_mean_square(values: torch.Tensor) -> float:
    if not values.numel():
        return 0.0
    wide = torch.complex128 if values.is_complex() else torch.float64
    norm = float(torch.linalg.vector_norm(values, dtype=wide))
    if not 1e-150 < norm < 1e150 and (largest := float(values.abs().max())) > 0 and math.isfinite(largest):  # A float64 of such a size.
        norm = largest * float(torch.linalg.vector_norm(values / largest, dtype=wide))
    return norm / math.sqrt(values.numel())


def in_float64(model: torch.nn.Module, inputs: list[Any]) -> Any:
    """The reference in float64, or None where its code cannot do that."""
    def double(t: torch.Tensor) -> torch.Tensor:
        return t.to(torch.float64, copy=True) if t.is_floating_point() else t.clone()
    try:
        return copy.deepcopy(model).double()(*rebuild(inputs, double))
    except Exception:  # noqa: BLE001  (hard-coded dtypes, operators without a double)
        return None


def tolerances(expected: Any, exact: Any, reduction: int, override: dict[str, float], usual: Any = None) -> list[Tolerance | None]:
    """One tolerance for each output tensor; None where equality is asked.

    expected: the reference's outputs; exact: the same from float64, or None; usual: what the reference gives as torch is set up by default, or None
    (on a GPU its convolutions round to TF32: then a kernel may be as far off as that, and hardly more); override: "rtol" and "atol_rms" of the problem or the config, which
    win over what is derived here.
    """
    exact_leaves = list(leaves(exact)) if exact is not None else []
    usual_leaves = list(leaves(usual)) if usual is not None else []
    found: list[Tolerance | None] = []
    for i, tensor in enumerate(leaves(expected)):
        if not (tensor.is_floating_point() or tensor.is_complex()):
            found.append(None)
            continue
        eps = torch.finfo(tensor.dtype).eps
        cap = _CAP.get(tensor.dtype, _CAP_BELOW_16_BITS * eps)
        rtol = min(cap, eps * (64 + 4 * math.sqrt(reduction)) if eps < 1e-5 else 4 * eps)
        floor = eps * (8 + 2 * math.sqrt(reduction)) if eps < 1e-5 else eps
        own_error = _largest_excess(tensor, exact_leaves[i] if i < len(exact_leaves) else None, rtol)
        atol_rms = min(cap, max(floor, 8 * own_error) if own_error is not None else rtol)
        atol_rms = max(atol_rms, _USUAL * (_largest_excess(usual_leaves[i], tensor, rtol) or 0.0) if i < len(usual_leaves) else 0.0)
        found.append(Tolerance(override.get("rtol", rtol), override.get("atol_rms", atol_rms)))
    return found


def _largest_excess(tensor: torch.Tensor, exact: torch.Tensor | None, rtol: float) -> float | None:
    """max(|tensor - exact| - rtol |exact|) / rms(exact), at least 0; None where it cannot be said."""
    if exact is None or exact.shape != tensor.shape or not (scale := rms(exact)):
        return None
    parts = (both for _, both in pieces(tensor, exact)) if is_big(exact) else [(tensor, exact)]
    found = [most for t, e in parts if (most := _most_excess(t, e, rtol)) is not None]
    return max(0.0, *found) / scale if found else None


def _most_excess(tensor: torch.Tensor, exact: torch.Tensor, rtol: float) -> float | None:
    """max(|tensor - exact| - rtol |exact|) where that is finite; None where it nowhere is."""
    wide = torch.complex128 if exact.is_complex() else torch.float64
    exact = exact.to(wide)
    excess = (tensor.to(wide) - exact).abs() - rtol * exact.abs()
    excess = excess[torch.isfinite(excess)]
    return float(excess.max()) if excess.numel() else None
