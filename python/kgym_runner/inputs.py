"""Input sets from secret seeds. Runs in the reference host only: a candidate never learns a seed.

Kinds of sets: `fresh` (what get_inputs makes), `spiked` (fresh, with one random block of one floating tensor two to four times larger, so that work
left out shows), `near` (the previous set with one random block drawn anew, so that a cache which looks at a few elements answers wrongly),
`nudged` (the previous set with eight single elements two to four times larger).
A problem whose inputs may not be changed (META["perturb"] = False) gets fresh sets instead of both.

A set is held as its tensors, or, where those are dear, as a `Recipe` that makes them again from its seed.
"""
from __future__ import annotations

import os
import random
import types
from dataclasses import dataclass
from typing import Any

import torch

from . import device
from .compare import equal_bits
from .problem import line_of
from .tree import Unsupported, encode, leaves, nbytes, rebuild
from .wire import Failure, describe, foreign_trace

_NUDGED = 8  # Elements: one that is multiplied may not show (a negative one before a ReLU), all of them hardly ever.
_HERE = os.path.dirname(os.path.abspath(__file__))


def reseed(seed: int) -> None:
    """Set every generator that a problem's get_inputs may use."""
    random.seed(seed)
    torch.default_generator.manual_seed(seed & 0x7FFF_FFFF_FFFF_FFFF)  # torch.manual_seed also queues a call for CUDA, with a stack trace.
    device.current().reseed(seed & 0x7FFF_FFFF_FFFF_FFFF)
    try:
        import numpy
        numpy.random.seed(seed & 0xFFFF_FFFF)
    except ImportError:
        pass


def _get_inputs(module: types.ModuleType) -> Any:
    """get_inputs() with tensors made on the device; where its code cannot do that, made as it does and moved."""
    here = device.current()
    if not getattr(module, "__kgym_moves_inputs__", False):
        try:
            with here.scope():
                return here.place(module.get_inputs())
        except Exception:  # noqa: BLE001  (numpy, a generator of the CPU, ...)
            if here.name == "cpu":
                raise
            module.__kgym_moves_inputs__ = True
    return here.place(module.get_inputs())


def fresh(module: types.ModuleType, seed: int | None) -> list[Any]:
    """The problem's own inputs, contiguous and on the device, under a seed or (None) going on from where the generators stand.

    Raises Failure("problem") when get_inputs does.
    """
    if seed is not None:
        reseed(seed)
    try:
        inputs = _get_inputs(module)
    except BaseException as error:  # noqa: BLE001
        raise Failure("problem", "%sget_inputs() raised %s" % (line_of(error), describe(error)), foreign_trace(error, _HERE)) from None
    if not isinstance(inputs, (list, tuple)):
        raise Failure("problem", "%sget_inputs() returned a %s; a list of tensors or numbers is expected" % (line_of(module.get_inputs), type(inputs).__name__))
    try:
        encode(list(inputs), lambda t: 0, "get_inputs()")
    except Unsupported as error:
        raise Failure("problem", "%s%s" % (line_of(module.get_inputs), error)) from None
    return [rebuild(x, lambda t: t.detach().resolve_conj().resolve_neg().contiguous()) for x in inputs]


def _block(tensor: torch.Tensor) -> slice:
    """A random run of 1/16 of the elements (at least one), in flattened order."""
    count = tensor.numel()
    length = max(1, count // 16)
    start = random.randrange(count - length + 1)
    return slice(start, start + length)


def _may_change(module: types.ModuleType) -> bool:
    return (getattr(module, "META", None) or {}).get("perturb", True)


def _replaced(inputs: list[Any], chosen: torch.Tensor, own: bool) -> tuple[list[Any], torch.Tensor]:
    """The inputs with one tensor that may be changed: itself where they are the caller's own, else a copy, for get_inputs may return the same tensor every time."""
    if own:
        return inputs, chosen
    copy = chosen.clone()
    return rebuild(inputs, lambda t: copy if t is chosen else t), copy


def spiked(module: types.ModuleType, seed: int, own: bool = False) -> list[Any]:
    """Fresh inputs with one block of one floating tensor two to four times larger. own: get_inputs makes new tensors each time."""
    inputs = fresh(module, seed)
    floating = [t for t in leaves(inputs) if t.is_floating_point() and t.element_size() > 1 and t.numel() > 1]
    if not floating or not _may_change(module):
        return inputs
    inputs, chosen = _replaced(inputs, random.choice(floating), own)
    where = _block(chosen)
    chosen.view(-1)[where] *= random.uniform(2.0, 4.0)
    return inputs


def near(module: types.ModuleType, seed: int, previous: list[Any], own: bool = False) -> list[Any]:
    """`previous` with one block of one tensor replaced by freshly drawn values: of a floating one where there is one, since indices may hang together.

    own: `previous` is the caller's own, and changed in place.
    """
    drawn = fresh(module, seed)
    pairs = [(a, b) for a, b in zip(leaves(previous), leaves(drawn)) if a.shape == b.shape and a.dtype == b.dtype and a.numel()]
    pairs = [(a, b) for a, b in pairs if a.is_floating_point()] or pairs
    if not pairs or not _may_change(module):
        return drawn
    random.shuffle(pairs)
    for old, new in pairs:
        where = _block(old)
        if not equal_bits(old.view(-1)[where], new.view(-1)[where]):
            inputs, chosen = _replaced(previous, old, own)
            chosen.view(-1)[where] = new.view(-1)[where]
            return inputs
    return drawn


def nudged(module: types.ModuleType, seed: int, previous: list[Any], own: bool = False) -> list[Any]:
    """`previous` with a few single elements of its largest floating tensor two to four times larger: whoever recognises inputs by a sample of them does not see it.

    own: `previous` is the caller's own, and changed in place.
    """
    drawn = fresh(module, seed)
    floating = [t for t in leaves(previous) if t.is_floating_point() and t.element_size() > 1 and t.numel() > 1]
    if not floating or not _may_change(module):
        return drawn
    del drawn
    inputs, chosen = _replaced(previous, max(floating, key=lambda t: t.numel()), own)
    flat = chosen.view(-1)
    for _ in range(_NUDGED):
        flat[random.randrange(flat.numel())] *= random.uniform(2.0, 4.0)
    return inputs


def make(module: types.ModuleType, kind: str, seed: int | None, previous: list[Any] | None, own: bool = False) -> list[Any]:
    if kind == "spiked":
        return spiked(module, seed, own)
    if kind == "near" and previous is not None:
        return near(module, seed, previous, own)
    if kind == "nudged" and previous is not None:
        return nudged(module, seed, previous, own)
    return fresh(module, seed)


def checksums(inputs: list[Any]) -> list[list[int]]:
    """For each input, a number for the bytes of each of its tensors."""
    return [[device.checksum(t.device.type, t.data_ptr(), nbytes(t)) for t in leaves(value)] for value in inputs]


def can_be_made_again(module: types.ModuleType, seed: int) -> bool:
    """Whether get_inputs gives the same values for the same seed, in new tensors each time. Takes the room of two sets."""
    first, again = fresh(module, seed), fresh(module, seed)
    places = {t.untyped_storage().data_ptr() for t in leaves(first) if t.numel()}
    if any(t.untyped_storage().data_ptr() in places for t in leaves(again) if t.numel()):
        return False
    return checksums(first) == checksums(again)


@dataclass(frozen=True)
class Recipe:
    """How a set was made: its kind, its seed, and the set that it was made from; for a problem whose inputs can be made again."""
    kind: str
    seed: int
    previous: Recipe | None = None

    def make(self, module: types.ModuleType) -> list[Any]:
        """The set in new tensors, which are the caller's own."""
        return make(module, self.kind, self.seed, self.previous.make(module) if self.previous else None, own=True)


class Set:
    """The inputs of one call as the reference host holds them: as they are, or as a recipe with the checksums of what it must give."""

    def __init__(self, values: list[Any], recipe: Recipe | None = None, module: types.ModuleType | None = None):
        """With a recipe, the values are not kept."""
        self.recipe = recipe
        self._kept, self._module = (values, None) if recipe is None else (None, module)
        self.sums = checksums(values) if recipe else None

    def values(self) -> list[Any]:
        """Not to be changed. Raises Failure("problem") where they cannot be made again after all."""
        return self._kept if self.recipe is None else self.own()

    def own(self) -> list[Any]:
        """The same, for the caller to change."""
        if self.recipe is None:
            return rebuild(self._kept, lambda t: t.clone())
        made = self.recipe.make(self._module)
        if checksums(made) != self.sums:
            raise Failure("problem", "%sget_inputs() gave other values under the same seed than it did before" % line_of(self._module.get_inputs))
        return made

    def equals(self, other: Set) -> bool:
        """Whether all tensors of both are the same, bit for bit."""
        if self.sums is not None and other.sums is not None:
            return self.sums == other.sums
        return equal_bits(self.values(), other.values())
