"""One submission's evaluation as the reference host keeps it: the arena with its slots, the input sets, the answers so far.

Where a problem's tensors are dear (opened_problem.py), a slot holds no input, no answer and no output beyond the operation that needs it: sets are made
again from their recipes, answers computed again, outputs known by their checksums, and the bait is only the beginning of one. Main thread of a reference host.
"""
from __future__ import annotations

import os
import time
from typing import Any, Iterator

import torch

from . import device, inputs as input_sets
from .compare import bits_differ, compare, equal_bits
from .opened_problem import Problem
from .pieces import is_big, pieces
from .tolerance import tolerances
from .tree import ALIGN, Arena, align, encode, leaves, rebuild, size
from .wire import Failure

_HISTORY = 16  # How many answers of before are kept, to know one that comes again, and
_HISTORY_BYTES = 256 << 20  # how much memory they may take.
_FILLS = 4  # How many fills of before are made again to see whether a wrong answer is from one of them.
_ROOM = 8 << 20  # Bytes that a slot has to spare at most, for inputs and for outputs.


class Slot:
    """One place in the arena for one call's inputs and outputs, with the set that the arena's copies came from."""

    def __init__(self, inputs_at: int, outputs_at: int, end: int):
        self.inputs_at, self.outputs_at, self.end = inputs_at, outputs_at, end
        self.set: input_sets.Set | None = None
        self.tree: dict[str, Any] = {}  # Where the inputs lie in the arena.
        self.expected: Any = None
        self.after: list[Any] = []
        self.got: Any = None
        self.twin: Slot | None = None
        self.number = 0

    @property
    def masters(self) -> list[Any]:
        """The inputs, not to be changed. Where they are dear they are made again each time."""
        return self.set.values() if self.set else []

    def let_go(self) -> None:
        self.expected, self.after = None, []


class Exchange:
    """An arena and where the reference's outputs go when it is timed. Wiped, it serves the problem's next evaluation: making one takes longer."""

    def __init__(self, length: int, private: int):
        self.wanted = (length, private)
        self.arena, self.fd = device.current().make_arena(length)
        self.private = self.private_arena(private)

    def private_arena(self, length: int) -> Arena:
        return Arena.over(torch.empty(length, dtype=torch.uint8, device=self.arena.bytes.device))

    def wipe(self) -> None:
        self.arena.bytes.zero_()

    def close(self) -> None:
        os.close(self.fd)
        device.current().free(self.arena)


class Evaluation:
    """The exchange with one submission."""

    def __init__(self, problem: Problem, slots: int, max_bytes: int, honeypot_seed: int, kept: Exchange | None):
        self.problem = problem
        # Room for inputs that vary in size, and for outputs whose dtype is too wide, where that is not dear.
        inputs = align(problem.input_bytes + min(problem.input_bytes // 4, _ROOM) + 1024)
        outputs = align(problem.output_bytes + min(problem.output_bytes, _ROOM) + 1024)
        per_slot = inputs + outputs
        self.fixed = size(list(problem.init_inputs)) + size(problem.state) + size(problem.outputs) + 4 * ALIGN
        slots = max(2, min(slots, (max_bytes - self.fixed) // max(1, per_slot)))
        length = self.fixed + slots * per_slot
        # Outputs of the timed reference: as many places as there are slots, as the candidate's have; one where memory is dear, and that not before it is needed.
        private = 0 if problem.dear else length if device.current().name == "cpu" else outputs
        if kept is not None and kept.wanted != (length, private):
            kept.close()
            kept = None
        self.exchange = kept or Exchange(length, private)
        self.arena, self.fd, self.private = self.exchange.arena, self.exchange.fd, self.exchange.private
        write = self.arena.writer(0, self.fixed)
        self.init = encode(list(problem.init_inputs), write)
        self.state = [[name, encode(value, write)] for name, value in problem.state.items()]
        generator = torch.Generator().manual_seed(honeypot_seed)
        self.honeypot = rebuild(problem.outputs, lambda t: _plausible(t, generator))
        self.honeypot_tree = encode(self.honeypot, write)
        starts = [self.fixed + i * per_slot for i in range(slots)]
        self.slots = [Slot(s, s + inputs, s + per_slot) for s in map(align, starts)]
        self.slots[-1].end = min(self.slots[-1].end, length)
        self.history: list[tuple[int, Any]] = []
        self.fills: list[tuple[int, list[dict[str, Any]]]] = []  # The last ones: the number of the first set, and what was asked.
        self.count = 0
        self.checked: Slot | None = None  # Whose outputs are kept, for a set that repeats its inputs.
        self.timed = False

    def ready_to_time(self) -> None:
        """The place for the reference's outputs, its pages there. From now on torch's allocator keeps what it has: no timed call is to wait for memory."""
        if self.problem.dear and not self.timed:
            self.private = self.exchange.private_arena(align(self.problem.output_bytes + 1024))
            self.private.bytes.zero_()
        self.timed = True

    def private_writer(self, slot: Slot) -> Any:
        if self.private.length > slot.end - slot.outputs_at:
            return self.private.writer(slot.outputs_at, slot.end)
        return self.private.writer(0, self.private.length)

    def remember(self, slot: Slot) -> None:
        """Keep the slot's answer, so that a later one that repeats it is known."""
        if slot.expected is None:
            return
        most = min(_HISTORY, _HISTORY_BYTES // max(1, self.problem.output_bytes))
        self.history = [*self.history, (slot.number, slot.expected)][-most:] if most else []

    def spare(self, slot: Slot) -> None:
        """Let go of what a checked slot held, where it is much: its answer is computed again if it is asked for."""
        if self.checked not in (None, slot):
            self.checked.got = None
        self.checked = slot
        slot.after = []
        if self.problem.dear or self.problem.output_bytes * len(self.slots) > _HISTORY_BYTES:
            self.remember(slot)
            slot.expected = None

    def give_back(self) -> None:
        """Memory that nothing lies in goes to who needs it: at the end of an operation of which much is left."""
        if self.problem.dear and not self.timed:
            device.current().give_back()

    def wanted(self, sets: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """What a fill asks for, put down; where sets are made again each has a seed of its own, from the first one's."""
        if self.problem.made_again:
            sets = [{"seed": (sets[0]["seed"] + i * 0x9E3779B97F4A7C15) % (1 << 63), **item} for i, item in enumerate(sets)]
        self.fills = [*self.fills, (self.count, sets)][-_FILLS - 1:]
        return sets

    def fill(self, item: dict[str, Any], poison: int) -> tuple[dict[str, Any], list[int], int]:
        """A new set for a slot. Returns where its inputs and its output area are, and how long the problem's code ran, in nanoseconds."""
        slot, module = self.slots[item["slot"]], self.problem.module
        source = self.slots[item["from"]] if item.get("from") is not None else None
        self.remember(slot)
        slot.let_go()
        start = time.monotonic_ns()
        if item["kind"] == "same":
            values, recipe = source.masters, None
        elif self.problem.made_again:
            recipe = input_sets.Recipe(item["kind"], item["seed"], source.set.recipe if source and source.set else None)
            values = recipe.make(module)
        else:
            recipe, values = None, input_sets.make(module, item["kind"], item.get("seed"), source.masters if source else None)
        spent = time.monotonic_ns() - start
        slot.twin = source if item["kind"] == "same" else None
        slot.set = source.set if item["kind"] == "same" else input_sets.Set(values, recipe, module)
        slot.number, self.count = self.count, self.count + 1
        return *self.write(slot, values, poison), spent

    def write(self, slot: Slot, values: list[Any], poison: int) -> tuple[dict[str, Any], list[int]]:
        """The slot's inputs into the arena, its output area poisoned."""
        try:
            slot.tree = encode(values, self.arena.writer(slot.inputs_at, slot.outputs_at))
        except OverflowError as error:
            raise Failure("problem", "get_inputs() returns much more than it did before: %s" % error) from None
        # As far as right outputs reach: what lies beyond only has room for a dtype that is too wide, which is found out by its name.
        self.arena.bytes[slot.outputs_at:min(slot.end, slot.outputs_at + align(self.problem.output_bytes))].fill_(poison)
        return slot.tree, [slot.outputs_at, slot.end]

    def answer(self, slot: Slot, and_after: bool = False) -> Any:
        """The reference's outputs for the slot, computed when first asked; `and_after`: `slot.after` is to hold what it leaves in its inputs."""
        if slot.expected is None or (and_after and not slot.after):
            slot.let_go()
            values = slot.set.own()
            slot.expected, slot.after = self.problem.expected(values), values
        return slot.expected

    def answers_of_others(self, slot: Slot) -> Iterator[tuple[int, Any]]:
        """The numbers and answers of the sets that are in other slots."""
        for other in self.slots:
            if other is not slot and other.set:
                yield other.number, self.answer(other)
                if self.problem.dear:
                    other.let_go()

    def answers_of_before(self, slot: Slot, others: bool = False) -> Iterator[tuple[int, Any]]:
        """The numbers and answers of sets that were in the slot before, or in the others, the latest fill first, for most answers are never asked for in
        time. Only of fills that depend on nothing but their seed; one set at a time is in memory."""
        for first, sets in reversed(self.fills):
            if any(item["kind"] != "fresh" for item in sets):
                continue
            for at, item in enumerate(sets, first):
                there = self.slots[item["slot"]]
                if at != there.number and (there is not slot) == others:
                    yield at, self._answer_made_again(sets, at - first)

    def _answer_made_again(self, sets: list[dict[str, Any]], place: int) -> Any:
        p, values = self.problem, None
        for item in sets[place:] if p.made_again else sets:  # One that is made again does not hang on the sets before it.
            values = None
            values = input_sets.make(p.module, "fresh", item.get("seed"), None)
            if item is sets[place]:
                break
        return p.apart(p.answer(values), values)

    def area(self, slot: Slot) -> torch.Tensor:
        """What lies in a slot, to be looked at: a private copy, or, where it is dear, the arena itself, whose large tensors are then copied piece by piece."""
        bytes_ = self.arena.bytes[slot.inputs_at:slot.end]
        return bytes_ if self.problem.dear else bytes_.clone()

    def private_copy(self, value: Any) -> Any:
        """What was read from an area, safe to be compared."""
        return rebuild(value, lambda t: t if is_big(t) else t.clone()) if self.problem.dear else value

    def mark(self, outputs: Any) -> Any:
        """By which outputs are known when they come again: themselves, or checksums where they are dear."""
        if not self.problem.dear:
            return outputs
        return [(t.dtype, t.shape, _checksums(t)) for t in leaves(outputs)]

    def same_mark(self, a: Any, b: Any) -> bool:
        return a == b if self.problem.dear else equal_bits(a, b)

    def changed_inputs(self, left: list[Any], slot: Slot) -> list[int]:
        """The inputs that the candidate left otherwise than the reference does: untouched bit for bit, or changed to the same values."""
        if slot.set.sums is not None:
            by_reference = [a != b for a, b in zip(input_sets.checksums(slot.after), slot.set.sums)]
            by_candidate = bits_differ([*zip(left, slot.after)])  # Counts where the reference changes nothing.
        else:
            count, masters = len(left), slot.masters
            differ = bits_differ([*zip(masters, slot.after), *zip(left, masters)])
            by_reference, by_candidate = differ[:count], differ[count:]
        return [i for i in range(len(left)) if (not self._as_changed(left[i], slot.after[i]) if by_reference[i] else by_candidate[i])]

    def _as_changed(self, left: Any, reference_left: Any) -> bool:
        floating = list(leaves(reference_left))
        return not compare(left, reference_left, tolerances(floating, None, self.problem.reduction, {})).kind


def _checksums(tensor: torch.Tensor) -> list[int]:
    found = []
    for _, (part,) in pieces(tensor):
        part = part.clone()
        found.append(device.checksum(part.device.type, part.data_ptr(), part.numel() * part.element_size()))
    return found


def _plausible(tensor: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Values that look like an output and are none: an output of before, turned round and moved. Used as bait."""
    if tensor.numel() < 2:
        return tensor * 1.125 if tensor.is_floating_point() and tensor.element_size() > 1 else tensor.clone()
    turned = tensor.reshape(-1).roll(int(torch.randint(1, tensor.numel(), (1,), generator=generator))).reshape(tensor.shape)
    if not tensor.is_floating_point():
        return turned
    return (turned + turned.reshape(-1)[:4096].float().std().nan_to_num(1.0) * 0.125).to(tensor.dtype) if tensor.element_size() > 1 else turned
