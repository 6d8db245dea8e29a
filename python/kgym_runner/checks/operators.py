"""Operators of the reference that do nothing for its answer: whoever leaves them out is faster by that alone, and right.

Each operator in turn is left out (its first operand in place of its result, where they have one shape), or its result is exchanged for other values. If the
output stays within tolerance, it may be dropped. That is an honest thing to do, but what a problem with such operators measures is who sees it.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .finding import Finding, Repair
from .subject import Subject, sample
from .values import moved

# They only move values, or make them.
_PASSED_OVER = {"clone", "_to_copy", "copy_", "copy", "contiguous", "_unsafe_view", "lift_fresh", "lift_fresh_copy", "empty", "empty_like", "empty_strided",
                "zeros", "zeros_like", "ones", "ones_like", "full", "full_like", "arange", "new_zeros", "new_empty", "scalar_tensor", "fill_", "zero_"}
_SHARE = 16  # An operator whose result has fewer than 1/16 of the elements of the largest one costs too little to matter.


@dataclass(frozen=True)
class _Operator:
    index: int
    name: str
    numel: int
    droppable: bool  # Its first operand could stand for its result.
    floating: bool


def _result(out: Any) -> torch.Tensor | None:
    """What an operator's result is in the first place: `native_layer_norm` and its like also tell statistics."""
    first = out[0] if isinstance(out, (tuple, list)) and out else out
    return first if torch.is_tensor(first) else None


def _is_view(func: Any) -> bool:
    return any(r.alias_info is not None and not r.alias_info.is_write for r in func._schema.returns)


class _Listing(TorchDispatchMode):
    """Writes down the operators that run while it is entered; `replace` may give another result for one of them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[_Operator] = []

    def replace(self, index: int, args: Any, run: Any) -> Any:
        return run()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        def run() -> Any:
            return func(*args, **(kwargs or {}))
        name = func.overloadpacket.__name__
        if name in _PASSED_OVER or _is_view(func):
            return run()
        index = len(self.found)
        self.found.append(_Operator(index, name, 0, False, False))
        first = args[0] if args and torch.is_tensor(args[0]) else None
        shape = None if first is None else (first.shape, first.dtype)
        out = self.replace(index, args, run)
        result = _result(out)
        if result is not None:
            self.found[index] = _Operator(index, name, result.numel(), shape == (result.shape, result.dtype), result.is_floating_point())
        return out


class _Without(_Listing):
    """One operator's first operand stands for its result."""

    def __init__(self, index: int) -> None:
        super().__init__()
        self.index = index

    def replace(self, index: int, args: Any, run: Any) -> Any:
        if index != self.index:
            return run()
        operand = args[0].clone()
        out = run()
        result = _result(out)
        if result is args[0]:  # It works in place.
            args[0].copy_(operand)
            return out
        return operand if out is result else type(out)((operand, *out[1:]))


class _Exchanged(_Listing):
    """One operator's result is other values of the same size and kind."""

    def __init__(self, index: int) -> None:
        super().__init__()
        self.index = index

    def replace(self, index: int, args: Any, run: Any) -> Any:
        out = run()
        result = _result(out)
        if index == self.index:
            result.mul_(1 + torch.rand_like(result)).add_(torch.rand_like(result))
        return out


def _unmoved(s: Subject, mode: _Listing) -> bool:
    """Whether the output is the same. What cannot run like that needs the operator."""
    try:
        with mode:
            outputs = s.run(s.inputs)
        s.restore()
        return not moved(s.outputs, outputs)
    except torch.OutOfMemoryError:
        raise
    except Exception:  # noqa: BLE001
        return False


def _named(operators: list[_Operator]) -> str:
    """`relu, tanh (2 times)`."""
    counts: dict[str, int] = {}
    for operator in operators:
        counts[operator.name] = counts.get(operator.name, 0) + 1
    return ", ".join(name if count == 1 else f"{name} ({count} times)" for name, count in counts.items())


def redundant(s: Subject) -> Iterator[Finding]:
    listing = _Listing()
    with listing:
        s.run(s.inputs)
    s.restore()
    largest = max((o.numel for o in listing.found), default=0)
    large = sample([o for o in listing.found if o.numel * _SHARE >= largest and o.numel > 1], s.samples)
    dropped = [o for o in large if o.droppable and _unmoved(s, _Without(o.index))]
    unused = [o for o in large if o.floating and o not in dropped and _unmoved(s, _Exchanged(o.index))]
    if dropped:
        message = f"left out, these operators make no difference to the output: {_named(dropped)}"
        yield Finding("redundant_operator", "warning", message, Repair(f"leave {_named(dropped)} out, or draw inputs for which it matters"))
    if unused:
        message = f"other results of these operators make no difference to the output: {_named(unused)}"
        yield Finding("redundant_operator", "warning", message, Repair(f"leave {_named(unused)} out, or change what cancels it"))
