"""Input sets from secret seeds. Runs in the reference host only: a candidate never learns a seed.

Kinds of sets: `fresh` (what get_inputs makes), `spiked` (fresh, with one random block of one floating tensor two to four times larger, so that work
left out shows), `near` (the previous set with one random block drawn anew, so that a cache which looks at a few elements answers wrongly).
A problem whose inputs may not be changed (META["perturb"] = False) gets fresh sets instead of spiked ones.
"""
from __future__ import annotations

import os
import random
import types
from typing import Any

import torch

from .tree import leaves, rebuild
from .wire import Failure, describe, foreign_trace

_HERE = os.path.dirname(os.path.abspath(__file__))


def reseed(seed: int) -> None:
    """Set every generator that a problem's get_inputs may use."""
    random.seed(seed)
    torch.manual_seed(seed & 0x7FFF_FFFF_FFFF_FFFF)
    try:
        import numpy
        numpy.random.seed(seed & 0xFFFF_FFFF)
    except ImportError:
        pass


def fresh(module: types.ModuleType, seed: int) -> list[Any]:
    """The problem's own inputs under a seed, contiguous. Raises Failure("problem") when get_inputs does."""
    reseed(seed)
    try:
        inputs = module.get_inputs()
    except BaseException as error:  # noqa: BLE001
        raise Failure("problem", "get_inputs() raised %s" % describe(error), foreign_trace(error, _HERE)) from None
    if not isinstance(inputs, (list, tuple)):
        raise Failure("problem", "get_inputs() returned a %s; a list of tensors or numbers is expected" % type(inputs).__name__)
    return [rebuild(x, lambda t: t.detach().contiguous()) for x in inputs]


def _block(tensor: torch.Tensor) -> slice:
    """A random run of 1/16 of the elements (at least one), in flattened order."""
    count = tensor.numel()
    length = max(1, count // 16)
    start = random.randrange(count - length + 1)
    return slice(start, start + length)


def spiked(module: types.ModuleType, seed: int) -> list[Any]:
    inputs = fresh(module, seed)
    if (getattr(module, "META", None) or {}).get("perturb", True):
        floating = [t for t in leaves(inputs) if t.is_floating_point() and t.numel() > 1]
        if floating:
            chosen = random.choice(floating)
            chosen.view(-1)[_block(chosen)] *= random.uniform(2.0, 4.0)
    return inputs


def near(module: types.ModuleType, seed: int, previous: list[Any]) -> list[Any]:
    """`previous` with one block of one tensor replaced by freshly drawn values."""
    drawn = fresh(module, seed)
    pairs = [(a, b) for a, b in zip(leaves(previous), leaves(drawn)) if a.shape == b.shape and a.dtype == b.dtype and a.numel()]
    if not pairs:
        return drawn
    copies = {id(a): a.clone() for a, _ in pairs}
    old, new = random.choice(pairs)
    where = _block(old)
    copies[id(old)].view(-1)[where] = new.view(-1)[where]
    return rebuild(previous, lambda t: copies.get(id(t), t))


def make(module: types.ModuleType, kind: str, seed: int, previous: list[Any] | None) -> list[Any]:
    if kind == "spiked":
        return spiked(module, seed)
    if kind == "near" and previous is not None:
        return near(module, seed, previous)
    return fresh(module, seed)
