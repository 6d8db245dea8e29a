"""Tensors compared and changed, as the checks need it: in pieces, since a problem at its real size leaves no room for copies."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from ..tolerance import rms

# How near an answer is to pass. Absolute tolerances are relative to the root mean square of the expected output.
STRICT = (1e-4, 1e-5)  # (rtol, atol)
LOOSE = (1e-2, 1e-2)

_PIECE = 1 << 24  # Elements compared at once.


def named_leaves(value: Any, path: str) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors in what forward returned, numbers as tensors, with their paths."""
    if torch.is_tensor(value):
        yield path, value
    elif isinstance(value, (bool, int, float, complex)):
        yield path, torch.tensor(value)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from named_leaves(item, f"{path}[{key!r}]")
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from named_leaves(item, f"{path}[{i}]")


def pieces(*tensors: torch.Tensor) -> Iterator[tuple[torch.Tensor, ...]]:
    """Tensors of one shape, the same few elements of each at a time."""
    flat = [t.reshape(-1) for t in tensors]
    for start in range(0, flat[0].numel(), _PIECE):
        yield tuple(t[start:start + _PIECE] for t in flat)


def within(answer: torch.Tensor, expected: torch.Tensor, rtol: float, atol: float) -> bool:
    """Whether every element is: |answer - expected| <= rtol |expected| + atol."""
    wide = torch.promote_types(expected.dtype, torch.float32)
    return all(torch.allclose(a.to(wide), e.to(wide), rtol=rtol, atol=atol, equal_nan=True) for a, e in pieces(answer, expected))


def close(answer: torch.Tensor | None, expected: torch.Tensor, tolerance: tuple[float, float]) -> bool:
    """Floating values within (rtol, atol in units of the root mean square) everywhere, others equal."""
    if answer is None or answer.shape != expected.shape or answer.dtype != expected.dtype:
        return False
    if not (expected.is_floating_point() or expected.is_complex()):
        return torch.equal(answer, expected)
    return within(answer, expected, tolerance[0], tolerance[1] * rms(expected))


def moved(before: dict[str, torch.Tensor], after: dict[str, torch.Tensor]) -> bool:
    """Whether any output differs by more than an answer may."""
    return before.keys() != after.keys() or any(not close(after[path], before[path], STRICT) for path in before)


def identical(a: Any, b: Any) -> bool:
    """The same shape, type and values, where nothing equals not-a-number but itself."""
    if not torch.is_tensor(a) or not torch.is_tensor(b) or a.shape != b.shape or a.dtype != b.dtype:
        return False
    return all(bool(((x == y) | ((x != x) & (y != y))).all()) for x, y in pieces(a, b))


def change(x: torch.Tensor) -> torch.Tensor | None:
    """Other values that are likely to be valid where those of x are: floats scaled up, flags turned, whole numbers in
    another order. None where there is no such change, as in a tensor of equal whole numbers."""
    if x.dtype == torch.bool:
        return ~x
    if x.is_floating_point() or x.is_complex():
        return x * (2 + 2 * torch.rand(x.shape, device=x.device)).to(x.dtype) + (x == 0)
    changed = x.flatten().roll(1).view(x.shape)
    return None if torch.equal(changed, x) else changed


def finite_share(x: torch.Tensor) -> float:
    if not x.numel() or not (x.is_floating_point() or x.is_complex()):
        return 1.0
    return sum(int(piece.isfinite().sum()) for (piece,) in pieces(x)) / x.numel()


def copied(x: Any) -> Any:
    return x.clone() if torch.is_tensor(x) else x
