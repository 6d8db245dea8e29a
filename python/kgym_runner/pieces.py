"""Large tensors, taken in pieces: what is computed on the way then needs the room of a piece, not that of the tensor.

Only tensors above `BIG` bytes are cut: a piece costs launches, and on a shared card a wait, which small tensors need not pay.
"""
from __future__ import annotations

from typing import Iterator

import torch

BIG = 256 << 20  # Bytes of a tensor up to which it is looked at whole.
PIECE = 1 << 22  # Elements of a piece at most.


def is_big(tensor: torch.Tensor) -> bool:
    return tensor.numel() * tensor.element_size() > BIG


def pieces(*tensors: torch.Tensor) -> Iterator[tuple[int, tuple[torch.Tensor, ...]]]:
    """Tensors of one shape in step: where each piece starts in logical order, and its elements, flat. A contiguous tensor is not copied."""
    first = tensors[0]
    if first.numel() <= PIECE:
        yield 0, tuple(t.reshape(-1) for t in tensors)
        return
    row = first.numel() // len(first)
    rows = PIECE // row
    for i in range(0, len(first), max(1, rows)):
        if rows:
            yield i * row, tuple(t[i:i + rows].reshape(-1) for t in tensors)
            continue
        for at, parts in pieces(*(t[i] for t in tensors)):
            yield i * row + at, parts


def is_uniform(tensor: torch.Tensor) -> bool:
    """Whether all elements are equal; a NaN equals nothing."""
    if not tensor.numel():
        return True
    first = tensor[(0,) * tensor.dim()]
    if not is_big(tensor):
        return bool((tensor == first).all())
    return all(bool((part == first).all()) for _, (part,) in pieces(tensor))
