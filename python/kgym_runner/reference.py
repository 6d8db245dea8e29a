"""The reference host: runs the problem's own code. It makes the inputs, knows the answers, compares, and times the reference. It never loads a submission.

Operations (judge -> host; descriptors in brackets):
  open      {name, workload, sizes, seed, tolerance} [source]  load the problem, prove that it can be judged     -> description
  begin     {slots, max_bytes, honeypot_seed}                  a new arena for one evaluation                    -> {init, state, slots, ...} [arena]
  fill      {sets: [{slot, kind, seed?, from?}], poison}       write input sets and poison the output areas      -> {inputs: [tree], outputs: [[off, end]]}
  refill    {slots, poison}                                    the same values again, outputs poisoned
  check     {slot, outputs: tree, pattern}                     compare what the candidate left in the slot       -> difference, facts
  alike     {slot, outputs, others: [{slot, outputs}]}         whether other calls left the same bits, though their inputs differ -> {alike}
  time      {slots, delay_ns?}                                 call the reference on each slot                   -> {calls_ns, emits_ns, on a GPU ahead_ns, host_ns}
  latency   {slots}                                             the same, each call waited for                     -> {calls_ns}
  compile   {calls}                                            time the reference under torch.compile            -> {calls_ns}
  examine   {name, workload, sizes, seeds} [source]            look for faults of the problem, opened or not     -> {findings}
  idle      {repeats}                                          on a GPU: is anything else running on the card?   -> {spans_ns}
  end       {}                                                 forget the evaluation, once its candidate is gone; the wiped arena is kept          -> {kept_bytes}
Seeds come with each request, from the judge. Everything that a candidate could have touched is copied before it is looked at.
"""
from __future__ import annotations

import copy
import itertools
import os
import random
import time
import traceback
import types
from typing import Any, Callable, Iterator

import torch

from . import device, diagnose, inputs as input_sets
from .checks import check_problem
from .compare import bits_differ, compare, equal_bits
from .problem import line_of, load_problem, reduction_length
from .tolerance import in_float64, tolerances
from .tree import ALIGN, Arena, Unsupported, align, decode, encode, leaves, nbytes, plan, rebuild, size
from .wire import Failure, clip, describe, foreign_trace

_HERE = os.path.dirname(os.path.abspath(__file__))
_OTHER_CALLS = 32  # How many slots' answers are computed to see whose answer a wrong one is.
_HISTORY = 16  # How many answers of before are kept for that, and
_HISTORY_BYTES = 256 << 20  # how much memory they may take.
_FILLS = 4  # How many fills of before are made again to see whether a wrong answer is from one of them.
_ROOM = 8 << 20  # Bytes that a slot has to spare at most, for inputs and for outputs.


def _clone(value: Any) -> Any:
    return rebuild(value, lambda t: t.clone())


def _shortest(action: Any, repeats: int = 3) -> int:
    """The shortest time of a few runs, in nanoseconds: what it takes once everything is warm."""
    spans = []
    for _ in range(repeats):
        device.current().synchronize()
        start = time.monotonic_ns()
        action()
        device.current().synchronize()
        spans.append(time.monotonic_ns() - start)
    return min(spans)


def _load(source: bytes, message: dict[str, Any]) -> types.ModuleType:
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Failure("problem", "line %d: not UTF-8" % (1 + source[:error.start].count(b"\n"))) from None
    return load_problem(text, message["name"], message["workload"], message.get("sizes"))


class Problem:
    """A loaded problem with its model under the init seed, and what was learnt by running it."""

    def __init__(self, message: dict[str, Any], source: bytes):
        self.module = _load(source, message)
        self.seed = message["seed"]
        input_sets.reseed(self.seed)
        self.init_inputs = self._run("get_init_inputs()", self.module.get_init_inputs)
        if not isinstance(self.init_inputs, (list, tuple)):
            raise Failure("problem", "%sget_init_inputs() returned a %s; a list is expected" % (line_of(self.module.get_init_inputs), type(self.init_inputs).__name__))
        self._run("get_init_inputs()", lambda: encode(list(self.init_inputs), lambda t: 0, "get_init_inputs()"))
        self.init_inputs = device.current().place(list(self.init_inputs))
        input_sets.reseed(self.seed)
        self.model = self._run("Model(...)", lambda: self.module.Model(*_clone(list(self.init_inputs))))
        if not isinstance(self.model, torch.nn.Module):
            raise Failure("problem", "Model(...) is a %s; a torch.nn.Module is expected" % type(self.model).__name__)
        self.model = self._run("Model(...)", lambda: self.model.to(device.current().name))
        self.state = {k: v.detach().clone() for k, v in self.model.state_dict().items() if isinstance(v, torch.Tensor)}
        self._run("the state of Model(...)", lambda: encode(self.state, lambda t: 0, "the state of Model"))
        example = input_sets.fresh(self.module, random.getrandbits(63))
        self.generate_ns = _shortest(lambda: input_sets.fresh(self.module, random.getrandbits(63)))
        self._learn(example, message.get("tolerance") or {})

    def _run(self, what: str, action: Any) -> Any:
        """The problem's own code, whose every exception is its fault."""
        try:
            return action()
        except Failure:
            raise
        except Unsupported as error:
            raise Failure("problem", str(error)) from None
        except BaseException as error:  # noqa: BLE001
            raise Failure("problem", "%s%s raised %s" % (line_of(error), what, describe(error)), foreign_trace(error, _HERE)) from None

    def restore(self) -> torch.nn.Module:
        """The model, its buffers as they were when it was made."""
        if self.stateful:
            self.model.load_state_dict(self.state, strict=False)
        return self.model

    def forward(self, values: list[Any]) -> Any:
        """As the problem stands: what is timed."""
        return self.restore()(*values)

    def answer(self, values: list[Any]) -> Any:
        """What is expected: the same, with float32 products in float32."""
        with device.current().precise():
            return self.forward(values)

    def _learn(self, example: list[Any], override: dict[str, float]) -> None:
        self.stateful = False
        def once(seed: int) -> tuple[Any, list[Any]]:
            input_sets.reseed(seed)
            values = _clone(example)
            return self._run("Model.forward", lambda: _clone(self.answer(values))), values
        with device.current().peak() as peak:
            first, after = once(1)
        self.peak_bytes = max(0, (peak.bytes or 0) - size(after))
        self._run("its output", lambda: encode(first, lambda t: 0))
        if not size(first) and any(True for _ in leaves(first)):
            raise Failure("problem", "its output is empty at these sizes: there is nothing to judge")
        self.stateful = not equal_bits({k: v for k, v in self.model.state_dict().items() if k in self.state}, self.state)
        second, _ = once(2)
        values = _clone(example)
        self.forward_ns = _shortest(lambda: self.forward(values))
        if compare(second, first, tolerances(first, None, 1, {})).kind:
            raise Failure("problem", "%sit is random: the same inputs gave different outputs" % line_of(type(self.model).forward))
        self.changes = [i for i, (a, b) in enumerate(zip(example, after)) if not equal_bits(a, b)]
        self.reduction = reduction_length(self.module)
        exact, usual = in_float64(self.restore(), _clone(example)), self._run("Model.forward", lambda: _clone(self.forward(_clone(example))))
        self.allowed = tolerances(first, exact, self.reduction, {
            **((getattr(self.module, "META", None) or {}).get("tolerance") or {}), **override}, usual)
        self.example, self.outputs = example, first
        self.input_bytes, self.output_bytes = size(example), size(first)

    def _unsound(self) -> list[str]:
        """What a person must know before believing an `ok` on this problem."""
        found = []
        copied = diagnose.copy_of_input(self.outputs, self.example)
        if copied is not None:
            found.append("the problem is unsound: its answer is a copy of input %d, so a submission that copies passes" % copied)
        if any(t.numel() > 1 and bool((t == t.reshape(-1)[0]).all()) for t in leaves(self.outputs)):
            found.append("the problem is unsound: an output is one constant, so a submission that fills passes")
        return found

    def describe(self) -> dict[str, Any]:
        return {"unsound": self._unsound(), "inputs": plan(self.example, 0)["v"], "outputs": plan(self.outputs, 0), "input_bytes": self.input_bytes,
                "output_bytes": self.output_bytes, "generate_ns": self.generate_ns, "forward_ns": self.forward_ns, "changes_inputs": self.changes,
                "stateful": self.stateful, "reduction": self.reduction, "tolerances": [t.json() if t else None for t in self.allowed],
                "operators": self._operators(), "peak_bytes": self.peak_bytes}

    def _operators(self) -> dict[str, int]:
        from .own_work import reference_ops
        return reference_ops(lambda *values: self.forward(list(values)), _clone(self.example))


class Slot:
    """One place in the arena for one call's inputs and outputs, with the masters that the arena's copies came from."""

    def __init__(self, inputs_at: int, outputs_at: int, end: int):
        self.inputs_at, self.outputs_at, self.end = inputs_at, outputs_at, end
        self.masters: list[Any] = []
        self.expected: Any = None
        self.after: list[Any] = []
        self.got: Any = None
        self.twin: Slot | None = None
        self.number = 0


class Exchange:
    """An arena and where the reference's outputs go when it is timed. Wiped, it serves the problem's next evaluation: making one takes longer."""

    def __init__(self, length: int, private: int):
        self.wanted = (length, private)
        self.arena, self.fd = device.current().make_arena(length)
        self.private = Arena.over(torch.empty(private, dtype=torch.uint8, device=self.arena.bytes.device))

    def wipe(self) -> None:
        self.arena.bytes.zero_()

    def close(self) -> None:
        os.close(self.fd)
        device.current().free(self.arena)


class Evaluation:
    """One submission's exchange: the arena, its slots, the answers so far."""

    def __init__(self, problem: Problem, slots: int, max_bytes: int, honeypot_seed: int, kept: Exchange | None):
        self.problem = problem
        # Room for inputs that vary in size, and for outputs whose dtype is too wide, where that is not dear.
        inputs = align(problem.input_bytes + min(problem.input_bytes // 4, _ROOM) + 1024)
        outputs = align(problem.output_bytes + min(problem.output_bytes, _ROOM) + 1024)
        per_slot = inputs + outputs
        self.fixed = size(list(problem.init_inputs)) + size(problem.state) + problem.output_bytes + 4 * ALIGN
        slots = max(2, min(slots, (max_bytes - self.fixed) // max(1, per_slot)))
        length = self.fixed + slots * per_slot
        # Outputs of the timed reference: as many places as there are slots, as the candidate's have; one where memory is dear.
        private = length if device.current().name == "cpu" else outputs
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
        if self.problem.output_bytes * len(self.slots) > _HISTORY_BYTES:
            self.remember(slot)
            slot.expected = None

    def write(self, slot: Slot, poison: int) -> tuple[dict[str, Any], list[int]]:
        """The slot's masters into the arena, its output area poisoned."""
        try:
            tree = encode(slot.masters, self.arena.writer(slot.inputs_at, slot.outputs_at))
        except OverflowError as error:
            raise Failure("problem", "get_inputs() returns much more than it did before: %s" % error) from None
        # As far as right outputs reach: what lies beyond only has room for a dtype that is too wide, which is found out by its name.
        self.arena.bytes[slot.outputs_at:min(slot.end, slot.outputs_at + align(self.problem.output_bytes))].fill_(poison)
        return tree, [slot.outputs_at, slot.end]

    def answer(self, slot: Slot, and_after: bool = False) -> Any:
        """The reference's outputs for the slot, computed when first asked; `and_after`: `slot.after` is to hold what it leaves in its inputs."""
        if slot.expected is None or (and_after and not slot.after):
            values = _clone(slot.masters)
            slot.expected = _clone(self.problem.answer(values))
            slot.after = values
        return slot.expected


def _plausible(tensor: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Values that look like an output and are none: an output of before, turned round and moved. Used as bait."""
    if tensor.numel() < 2:
        return tensor * 1.125 if tensor.is_floating_point() and tensor.element_size() > 1 else tensor.clone()
    turned = tensor.reshape(-1).roll(int(torch.randint(1, tensor.numel(), (1,), generator=generator))).reshape(tensor.shape)
    if not tensor.is_floating_point():
        return turned
    return (turned + turned.reshape(-1)[:4096].float().std().nan_to_num(1.0) * 0.125).to(tensor.dtype) if tensor.element_size() > 1 else turned


def _told(operation: Callable[..., Any]) -> Callable[..., Any]:
    """The operation, whose own faults (not those of a problem's code) are told to the judge, which then ends the host."""
    def run(message: dict[str, Any], fds: list[int]) -> Any:
        try:
            return operation(message, fds)
        except Failure:
            raise
        except Exception as error:  # noqa: BLE001
            raise Failure("host", "%s\n%s" % (describe(error), clip(traceback.format_exc(), 2000))) from None
    return run


class Reference:
    def __init__(self, probe: Any):
        self.probe = probe
        self.problem: Problem | None = None
        self.evaluation: Evaluation | None = None
        self.kept: Exchange | None = None
        self.code_ns = 0

    def operations(self) -> dict[str, Any]:
        return {name: _told(getattr(self, "op_" + name)) for name in ("open", "begin", "fill", "refill", "check", "alike", "time", "latency", "compile", "idle", "examine", "end")}

    def op_open(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        with open(fds[0], "rb", closefd=False) as file:
            source = file.read()
        self.problem = Problem(message, source)
        description = self.problem.describe()
        memory = device.current().memory()
        device.current().give_back()
        return {**description, **memory}

    def op_examine(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        """The problem checker's findings; `open` need not have succeeded."""
        with open(fds[0], "rb", closefd=False) as file:
            module = _load(file.read(), message)
        return {"findings": [vars(f) for f in check_problem(module, message["workload"], tuple(message["seeds"]))]}

    def op_begin(self, message: dict[str, Any], fds: list[int]) -> tuple[dict[str, Any], list[int]]:
        self.op_end({}, [])
        kept, self.kept = self.kept, None
        e = self.evaluation = Evaluation(self.problem, message["slots"], message["max_bytes"], message["honeypot_seed"], kept)
        return {"length": e.arena.length, "init": e.init, "state": e.state, "honeypot": e.honeypot_tree, "slots": len(e.slots),
                "seed": self.problem.seed, "stateful": self.problem.stateful}, [e.fd]

    def op_fill(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        e, trees, areas = self.evaluation, [], []
        e.fills = [*e.fills, (e.count, message["sets"])][-_FILLS - 1:]
        for item in message["sets"]:
            slot = e.slots[item["slot"]]
            slot.twin = e.slots[item["from"]] if item["kind"] == "same" else None
            if item["kind"] == "same":
                slot.masters = _clone(e.slots[item["from"]].masters)
            else:
                previous = e.slots[item["from"]].masters if item.get("from") is not None else None
                start = time.monotonic_ns()
                slot.masters = input_sets.make(self.problem.module, item["kind"], item.get("seed"), previous)
                self.code_ns += time.monotonic_ns() - start
            e.remember(slot)
            slot.expected, slot.number = None, e.count
            e.count += 1
            tree, area = e.write(slot, message["poison"])
            trees.append(tree)
            areas.append(area)
        device.current().synchronize()
        return {"inputs": trees, "outputs": areas, "code_ns": self._code_ns()}

    def _code_ns(self) -> int:
        """How long the problem's own code (get_inputs, forward) ran since this was last asked, outside timed calls."""
        spent, self.code_ns = self.code_ns, 0
        return spent

    def op_refill(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        for i in message["slots"]:
            self.evaluation.write(self.evaluation.slots[i], message["poison"])
        device.current().synchronize()
        return {}

    def op_check(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        e, p = self.evaluation, self.problem
        slot = e.slots[message["slot"]]
        start = time.monotonic_ns()
        expected = e.answer(slot, and_after=True)
        self.code_ns += time.monotonic_ns() - start
        private = e.arena.bytes[slot.inputs_at:slot.end].clone()
        got = self._outputs(message["outputs"], private[slot.outputs_at - slot.inputs_at:])
        difference = compare(got, expected, p.allowed)
        tree = plan(slot.masters, 0)
        left = decode(tree, lambda node: _over(private, node))
        changed = self._changed_inputs(left, slot)
        facts = {} if not difference.kind else self._facts(slot, got, expected, message.get("pattern", -1), difference.kind)
        repeats = self._repeats(slot, got)
        if not difference.kind:
            e.spare(slot)
        return {"code_ns": self._code_ns(), "difference": difference.json(), "changed_inputs": changed, "facts": facts,
                "strides_differ": self._strides_differ(message["outputs"]), "repeat_of": repeats}

    def op_alike(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        def left(item: dict[str, Any]) -> tuple[Slot, Any]:
            slot = self.evaluation.slots[item["slot"]]
            return slot, self._outputs(item["outputs"], self.evaluation.arena.bytes[slot.outputs_at:slot.end].clone())
        slot, mine = left(message)
        alike = [other.number for other, theirs in map(left, message["others"]) if not equal_bits(other.masters, slot.masters) and equal_bits(mine, theirs)]
        return {"alike": alike}

    def _changed_inputs(self, left: list[Any], slot: Slot) -> list[int]:
        """The inputs that the candidate left otherwise than the reference does: untouched bit for bit, or changed to the same values."""
        count = len(slot.masters)
        differ = bits_differ([*zip(slot.masters, slot.after), *zip(left, slot.masters)])
        by_reference, by_candidate = differ[:count], differ[count:]
        return [i for i in range(count) if (not self._as_changed(left[i], slot.after[i]) if by_reference[i] else by_candidate[i])]

    def _as_changed(self, left: Any, reference_left: Any) -> bool:
        floating = list(leaves(reference_left))
        return not compare(left, reference_left, tolerances(floating, None, self.problem.reduction, {})).kind

    def _outputs(self, tree: dict[str, Any], area: torch.Tensor) -> Any:
        """The candidate's outputs from a private copy of its area. Offsets are laid out here, not believed."""
        at = 0
        def tensor(node: dict[str, Any]) -> torch.Tensor:
            nonlocal at
            view = _over(area, {**node, "off": at})
            at = align(at + nbytes(view))
            return view
        try:
            return decode(tree, tensor)
        except Failure:
            raise
        except Exception as error:  # noqa: BLE001  (any JSON whatever can stand here)
            raise Failure("shape", "the outputs are described as what cannot be: %s" % describe(error)) from None

    def _strides_differ(self, tree: dict[str, Any]) -> bool:
        def strides(node: dict[str, Any]) -> list[Any]:
            if node.get("t") == "tensor":
                return [node.get("strides")]
            return [s for v in node.get("v", []) if isinstance(v, dict) for s in strides(v)] if isinstance(node.get("v"), list) else []
        return strides(tree) != strides(encode(self.problem.outputs, lambda t: 0))

    def _repeats(self, slot: Slot, got: Any) -> bool | None:
        """For a slot that repeats another's inputs: whether the outputs are the same bits. None for others."""
        slot.got = got
        return None if slot.twin is None else equal_bits(slot.twin.got, got)

    def _made_again(self, slot: Slot) -> Iterator[tuple[int, Any]]:
        """The numbers and answers of sets that were in the slot before, the latest first, for most answers are never asked for in time. Only of fills
        that depend on nothing but their seed; one set at a time is in memory."""
        e, p = self.evaluation, self.problem
        for first, sets in reversed(e.fills):
            if any(item["kind"] != "fresh" for item in sets):
                continue
            mine = None
            for number, item in enumerate(sets, first):
                values = input_sets.make(p.module, "fresh", item.get("seed"), None)
                if e.slots[item["slot"]] is slot and number != slot.number:
                    mine = (number, values)
            if mine:
                yield mine[0], _clone(p.answer(mine[1]))

    def _facts(self, slot: Slot, got: Any, expected: Any, pattern: int, kind: str) -> dict[str, Any]:
        p, e = self.problem, self.evaluation
        facts: dict[str, Any] = {}
        if kind in ("shape", "dtype"):
            return facts
        facts["constant"] = diagnose.constant(got, expected)
        facts["copy_of_input"] = diagnose.copy_of_input(got, slot.masters)
        facts["unwritten_share"] = diagnose.unwritten(got, pattern) if pattern >= 0 else 0.0
        facts["honeypot"] = diagnose.is_other(got, e.honeypot, expected, p.allowed)
        others = [(s.number, e.answer(s)) for s in e.slots if s is not slot and s.masters][:_OTHER_CALLS]
        facts["answer_of_call"] = diagnose.earlier(got, expected, itertools.chain(e.history, others, self._made_again(slot)), p.allowed)
        if kind == "numerical":
            facts["precision"] = diagnose.precision(p.restore(), slot.masters, got, expected)
        return facts

    def op_time(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        """Call the reference on the arena's own copies, as the candidate is called, outputs copied out in the same way."""
        e, p = self.evaluation, self.problem
        slots = [e.slots[i] for i in message["slots"]]
        calls = [tuple(e.arena.read(plan(s.masters, s.inputs_at)["v"][i]) for i in range(len(s.masters))) for s in slots]
        def emit(i: int, outputs: Any) -> None:
            encode(outputs, e.private_writer(slots[i]))
        return device.current().run_batch(self.probe, (lambda *values: p.forward(list(values))) if p.stateful else p.model, calls, emit, message.get("delay_ns", 0))

    def op_latency(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        """How long single calls take a caller who waits for each, on what was filled in last."""
        e, p = self.evaluation, self.problem
        calls = [tuple(e.arena.read(plan(s.masters, s.inputs_at)["v"][i]) for i in range(len(s.masters))) for s in (e.slots[i] for i in message["slots"])]
        return device.current().run_one_by_one(self.probe, lambda *values: p.forward(list(values)), calls)

    def op_compile(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        p = self.problem
        try:
            compiled = torch.compile(copy.deepcopy(p.model))
            compiled(*_clone(p.example))
        except BaseException as error:  # noqa: BLE001
            raise Failure("problem", "torch.compile of the reference raised %s" % describe(error)) from None
        def spans(forward: Any, count: int) -> list[int]:
            calls = [tuple(_clone(p.example)) for _ in range(count)]
            return device.current().run_batch(self.probe, forward, calls, lambda i, o: None, message.get("delay_ns", 0))["calls_ns"]
        spans(compiled, 2)
        return {"calls_ns": spans(compiled, message["calls"]), "eager_ns": spans(p.model, message["calls"])}

    def op_idle(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        """How long a small kernel takes that needs the whole card: longer than usual when another works on it."""
        return {"spans_ns": self.probe.gpu_probe_idle(message["repeats"])}

    def _kept(self, exchange: Exchange) -> Exchange | None:
        if exchange.arena.length > device.current().keeps_arena:
            return exchange.close()
        exchange.wipe()
        return exchange

    def op_end(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        if self.evaluation:
            self.kept = self._kept(self.evaluation.exchange)
        self.evaluation = None
        device.current().give_back(device.current().keeps_bytes)
        return {"kept_bytes": (self.kept.arena.length if self.kept else 0) + device.current().held_bytes()}


def _over(area: torch.Tensor, node: dict[str, Any]) -> torch.Tensor:
    """A tensor over private bytes. Raises Failure("shape") when a candidate's node does not fit."""
    try:
        return Arena.over(area).view(node)
    except (ValueError, KeyError, RuntimeError, TypeError) as error:
        raise Failure("shape", "an output does not fit where the reference's would: %s" % error) from None
