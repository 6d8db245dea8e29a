"""Why an output is wrong: facts about a wrong answer that tell a cheat or a habit from an honest mistake. Runs only after a mismatch.

Each fact is a measurement on bytes, never on source text: the judge weighs them.
"""
from __future__ import annotations

import copy
from typing import Any, Iterable

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .compare import compare, equal_bits, in_order, structure
from .pieces import PIECE, is_big, is_uniform, pieces
from .tolerance import Tolerance, rms
from .tree import leaves, rebuild

_PRODUCTS = ("mm", "addmm", "bmm", "baddbmm", "mv", "dot", "convolution")
_FEWEST = 64  # Elements from which on a likeness of errors says something.


def constant(got: Any, expected: Any) -> bool:
    """Every tensor is one value throughout, where at least one of the reference's is not."""
    pairs = [(g, e) for g, e in in_order(got, expected) if e.numel() > 1]
    return bool(pairs) and all(is_uniform(g) for g, _ in pairs) and not all(is_uniform(e) for _, e in pairs)


def copy_of_input(got: Any, inputs: list[Any]) -> int | None:
    """The index, among the tensors of the inputs, of the one whose elements the first output repeats."""
    first = next(leaves(got), None)
    if first is None or not first.numel():
        return None
    return next((i for i, x in enumerate(leaves(inputs)) if equal_bits(x.reshape(-1), first.reshape(-1))), None)


def unwritten(got: Any, pattern: int) -> float:
    """The share of elements whose bytes are all the allocator's fill pattern: memory that nobody wrote.

    Elements of one or two bytes are taken in groups of four bytes: one byte is the pattern often enough by chance.
    """
    hits = total = 0
    for t in leaves(got):
        group = max(4, t.element_size())
        raw = t.contiguous().reshape(-1).view(torch.uint8) if t.numel() else torch.empty(0, dtype=torch.uint8)
        raw = raw[:raw.numel() // group * group].view(-1, group)
        hits += sum(int((part == byte).all(dim=1).sum()) for part in raw.split(PIECE) for byte in (pattern, pattern ^ 0xFF))
        total += len(raw)
    return hits / total if total else 0.0


def is_other(got: Any, other: Any, expected: Any, allowed: list[Tolerance | None]) -> bool:
    """Whether a wrong output is another answer, one that could not be taken for the expected one: else a small error would look like a theft."""
    return not compare(got, other, allowed).kind and bool(compare(other, expected, allowed).kind)


def earlier(got: Any, expected: Any, history: Iterable[tuple[int, Any]], allowed: list[Tolerance | None]) -> int | None:
    """Which earlier call's answer this is, if any. One answer at a time is held."""
    for number, answer in history:
        if is_other(got, answer, expected, allowed):
            return number
        del answer
    return None


def _rounded(t: torch.Tensor, how: str) -> torch.Tensor:
    """A copy with every element rounded; the tensor itself where its elements are no wider than what they are rounded to."""
    if not t.is_floating_point() or t.element_size() < 4:
        return t
    if not is_big(t):
        return _low(t, how)
    rounded = torch.empty(t.shape, dtype=t.dtype, device=t.device)
    for _, (part, out) in pieces(t, rounded):
        out.copy_(_low(part, how))
    return rounded


def _low(t: torch.Tensor, how: str) -> torch.Tensor:
    bits = t.float().contiguous().view(torch.int32)
    if how == "tf32":
        return ((bits + 0x1000) & ~0x1FFF).view(torch.float32).to(t.dtype)
    if how == "bfloat16, cut":  # The lower half of the bits left out, not rounded.
        return (bits & ~0xFFFF).view(torch.float32).to(t.dtype)
    return t.to(getattr(torch, how)).to(t.dtype)


def _without_trend(error: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
    """An error less what is constant in it and what is in proportion to the answer: many mistakes look alike in those."""
    rest = error.double().reshape(-1)
    basis = expected.double().reshape(-1)
    rest = rest - rest.mean()
    basis = basis - basis.mean()
    return rest - basis * (rest @ basis / (basis @ basis).clamp_min(1e-300))


def _similar(mine: torch.Tensor, theirs: torch.Tensor, expected: torch.Tensor) -> float:
    """How much two errors are the same one: the cosine between what is left of them, if the sizes of that are within a factor of three; else 0."""
    a, b = _without_trend(mine, expected), _without_trend(theirs, expected)
    norms = float(a.norm()), float(b.norm())
    if not min(norms) or not 1 / 3 < norms[0] / norms[1] < 3:
        return 0.0
    return float(a @ b) / (norms[0] * norms[1])


class _LowProducts(TorchDispatchMode):
    """Rounds what goes into products of matrices and convolutions, also where it was computed on the way: what a kernel with low-precision products does."""

    def __init__(self, how: str):
        super().__init__()
        self.how = how

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.overloadpacket.__name__ in _PRODUCTS:
            args = [_rounded(a, self.how) if isinstance(a, torch.Tensor) else a for a in args]
        return func(*args, **(kwargs or {}))


def simulate_products(model: torch.nn.Module, inputs: list[Any], how: str) -> Any:
    """The model's outputs with the operands of every product rounded; None where that cannot be done."""
    try:
        with _LowProducts(how):
            return copy.deepcopy(model)(*rebuild(inputs, lambda t: t.clone()))
    except Exception:  # noqa: BLE001
        return None


def simulate(model: torch.nn.Module, inputs: list[Any], how: str) -> Any:
    """The model's outputs with every floating operand rounded; None where its code cannot do that."""
    def low(t: torch.Tensor) -> torch.Tensor:
        rounded = _rounded(t, how)
        return t.clone() if rounded is t else rounded
    try:
        lower = copy.deepcopy(model)
        for p in [*lower.parameters(), *lower.buffers()]:
            p.data = _rounded(p.data, how)
        return lower(*rebuild(inputs, low))
    except Exception:  # noqa: BLE001  (the problem's own code, on operands that it was not written for)
        return None


class Errors:
    """The errors of an answer, kept without the answer: of a very large output a sample, which tells the direction of the error as well.

    For outputs of fewer than 64 elements there is none: the errors of two unlike computations look alike there by chance.
    """

    def __init__(self, got: Any, expected: Any):
        self._expected = rebuild(expected, lambda t: t.to("meta"))
        self._pairs = self._wide(got, expected)

    @staticmethod
    def _wide(got: Any, expected: Any) -> list[tuple[torch.Tensor, torch.Tensor]]:
        pairs = [(a, e) for a, e in in_order(got, expected) if e.dtype in (torch.float32, torch.float64) and e.numel() >= _FEWEST]
        return [(_sample(a), _sample(e)) for a, e in pairs]

    def precision(self, model: torch.nn.Module, inputs: list[Any]) -> str | None:
        """float16, bfloat16 or tf32 when the error is that of rounding to it: of inputs and weights, of what goes into products, of the outputs, or of several."""
        pairs = self._pairs
        if not pairs or not all(bool(torch.isfinite(g).all()) for g, _ in pairs) or max(rms(g - e) / (rms(e) or 1.0) for g, e in pairs) > 0.05:
            return None
        found = [likeness for how in ("float16", "bfloat16", "bfloat16, cut", "tf32") for simulation in (simulate, simulate_products)
                 for likeness in self._likeness(simulation(model, inputs, how), how)]
        best = max(found, default=(0.0, ""))
        return best[1] if best[0] > 0.5 else None

    def _likeness(self, simulated: Any, how: str) -> list[tuple[float, str]]:
        """How like the errors are to a simulation's, to those of its rounded outputs, and to those of the right outputs rounded."""
        if structure(simulated, self._expected).kind == "shape":
            return []
        return [(_similar(g - e, error, e), how) for (g, e), (s, _) in zip(self._pairs, self._wide(simulated, self._expected))
                for error in (s - e, _rounded(e, how) - e, _rounded(s, how) - e)]


def _sample(t: torch.Tensor) -> torch.Tensor:
    """The tensor, or of a large one elements at an odd distance, so that no column of a table is left out."""
    if not is_big(t):
        return t
    return t.reshape(-1)[::t.numel() // PIECE | 1].clone()


def precision(model: torch.nn.Module, inputs: list[Any], got: Any, expected: Any) -> str | None:
    """See Errors."""
    return Errors(got, expected).precision(model, inputs)
