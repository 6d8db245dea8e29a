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
  graph     {slot, replays, delay_ns}                           on a GPU: the call as a CUDA graph, replayed in rows  -> {calls_ns, ...} or {note}
  compile   {calls}                                            time the reference under torch.compile            -> {calls_ns}
  examine   {name, workload, sizes, seeds, fit, memory_mb, seconds} [source]  look for faults of the problem, opened or not -> {findings, size, sizes}
  idle      {repeats}                                          on a GPU: is anything else running on the card?   -> {spans_ns}
  end       {}                                                 forget the evaluation, once its candidate is gone; the wiped arena is kept          -> {kept_bytes}
Seeds come with each request, from the judge. Everything that a candidate could have touched is copied before it is looked at.
"""
from __future__ import annotations

import copy
import itertools
import time
import traceback
import types
from typing import Any, Callable

import torch

from . import checks, device, diagnose, graph_replay
from .compare import compare, equal_bits
from .evaluation import Evaluation, Exchange, Slot
from .opened_problem import Problem, clone, load as load_source
from .tree import Arena, align, decode, encode, nbytes
from .wire import Failure, clip, describe

_OTHER_CALLS = 32  # How many slots' answers are computed to see whose answer a wrong one is.


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
        self.spoiled = False  # A capture failed in it: it serves no other evaluation.
        self.code_ns = 0

    def operations(self) -> dict[str, Any]:
        return {name.removeprefix("op_"): _told(getattr(self, name)) for name in dir(self) if name.startswith("op_")}

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
            source = file.read()
        def load(sizes: dict[str, Any]) -> types.ModuleType:
            return load_source(source, {**message, "sizes": {**(message.get("sizes") or {}), **sizes}})
        return checks.examine(load, message["workload"], tuple(message["seeds"]), fit=message["fit"], room=message["memory_mb"] << 20, seconds=message["seconds"])

    def op_begin(self, message: dict[str, Any], fds: list[int]) -> tuple[dict[str, Any], list[int]]:
        self.op_end({}, [])
        kept, self.kept = self.kept, None
        e = self.evaluation = Evaluation(self.problem, message["slots"], message["max_bytes"], message["honeypot_seed"], kept)
        return {"length": e.arena.length, "init": e.init, "state": e.state, "honeypot": e.honeypot_tree, "slots": len(e.slots),
                "seed": self.problem.seed, "stateful": self.problem.stateful}, [e.fd]

    def op_fill(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        e, trees, areas = self.evaluation, [], []
        for item in e.wanted(message["sets"]):
            tree, area, spent = e.fill(item, message["poison"])
            self.code_ns += spent
            trees.append(tree)
            areas.append(area)
        device.current().synchronize()
        e.give_back()
        return {"inputs": trees, "outputs": areas, "code_ns": self._code_ns()}

    def _code_ns(self) -> int:
        """How long the problem's own code (get_inputs, forward) ran since this was last asked, outside timed calls."""
        spent, self.code_ns = self.code_ns, 0
        return spent

    def op_refill(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        e = self.evaluation
        for slot in (e.slots[i] for i in message["slots"]):
            e.write(slot, slot.masters, message["poison"])
        device.current().synchronize()
        return {}

    def op_check(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        e, slot = self.evaluation, self.evaluation.slots[message["slot"]]
        start = time.monotonic_ns()
        expected = e.answer(slot, and_after=True)
        self.code_ns += time.monotonic_ns() - start
        area = e.area(slot)
        got = e.private_copy(self._outputs(message["outputs"], area[slot.outputs_at - slot.inputs_at:]))
        left = e.private_copy(decode(slot.tree, lambda node: _over(area, {**node, "off": node["off"] - slot.inputs_at})))
        difference = compare(got, expected, self.problem.allowed)
        changed = e.changed_inputs(left, slot)
        slot.got = e.mark(got)
        repeats = None if slot.twin is None else e.same_mark(slot.twin.got, slot.got)
        del expected, area, left
        facts = {} if difference.kind not in ("numerical", "nan") else self._facts(slot, got, message.get("pattern", -1), difference.kind)
        if not difference.kind:
            e.spare(slot)
        elif self.problem.dear:
            slot.let_go()
        e.give_back()
        return {"code_ns": self._code_ns(), "difference": difference.json(), "changed_inputs": changed, "facts": facts,
                "strides_differ": self._strides_differ(message["outputs"]), "repeat_of": repeats}

    def op_alike(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        e = self.evaluation
        def left(item: dict[str, Any]) -> tuple[Slot, Any]:
            slot = e.slots[item["slot"]]
            try:
                return slot, self._outputs(item["outputs"], e.area(slot)[slot.outputs_at - slot.inputs_at:])
            except Failure:  # Nobody has checked how the others are described: what cannot be is like nothing.
                return slot, object()
        slot, mine = left(message)
        alike = [other.number for other, theirs in map(left, message["others"]) if not other.set.equals(slot.set) and equal_bits(mine, theirs)]
        return {"alike": alike}

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
        return strides(tree) != strides(self.problem.layout)

    def _facts(self, slot: Slot, got: Any, pattern: int, kind: str) -> dict[str, Any]:
        p, e = self.problem, self.evaluation
        expected = slot.expected
        if p.dear:
            slot.after, got = [], clone(got)
        facts: dict[str, Any] = {"constant": diagnose.constant(got, expected), "copy_of_input": diagnose.copy_of_input(got, slot.masters)}
        facts["unwritten_share"] = diagnose.unwritten(got, pattern) if pattern >= 0 else 0.0
        facts["honeypot"] = diagnose.is_other(got, e.honeypot, expected, p.allowed)
        others = itertools.islice(e.answers_of_others(slot), _OTHER_CALLS)
        before = itertools.chain(e.answers_of_before(slot), itertools.islice(e.answers_of_before(slot, others=True), _OTHER_CALLS))
        try:
            facts["answer_of_call"] = diagnose.earlier(got, expected, itertools.chain(e.history, others, before), p.allowed)
        except torch.OutOfMemoryError:  # No room for another answer beside these: then it is nobody's.
            facts["answer_of_call"] = None
        if kind == "numerical":
            errors = diagnose.Errors(got, expected)
            del got, expected
            if p.dear:
                slot.let_go()
            facts["precision"] = errors.precision(p.restore(), slot.masters)
        return facts

    def op_time(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        """Call the reference on the arena's own copies, as the candidate is called, outputs copied out in the same way."""
        e, p = self.evaluation, self.problem
        e.ready_to_time()
        slots = [e.slots[i] for i in message["slots"]]
        calls = [tuple(e.arena.read(s.tree)) for s in slots]
        def emit(i: int, outputs: Any) -> None:
            encode(outputs, e.private_writer(slots[i]))
        return device.current().run_batch(self.probe, (lambda *values: p.forward(list(values))) if p.stateful else p.model, calls, emit, message.get("delay_ns", 0))

    def op_latency(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        """How long single calls take a caller who waits for each, on what was filled in last."""
        e, p = self.evaluation, self.problem
        calls = [tuple(e.arena.read(e.slots[i].tree)) for i in message["slots"]]
        return device.current().run_one_by_one(self.probe, lambda *values: p.forward(list(values)), calls)

    def op_graph(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        e, p = self.evaluation, self.problem
        inputs = list(e.arena.read(e.slots[message["slot"]].tree))
        found = graph_replay.times(self.probe, lambda *values: p.forward(list(values)), inputs, message["replays"], message["delay_ns"])
        self.spoiled = self.spoiled or "note" in found
        return found

    def op_compile(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        p = self.problem
        try:
            compiled = torch.compile(copy.deepcopy(p.model))
            compiled(*clone(p.example()))
        except BaseException as error:  # noqa: BLE001
            raise Failure("problem", "torch.compile of the reference raised %s" % describe(error)) from None
        def spans(forward: Any, count: int) -> list[int]:
            most = 1 if p.dear else count  # Input sets that there is room for.
            calls = [tuple(clone(p.example())) for _ in range(most)]
            batches = [device.current().run_batch(self.probe, forward, calls, lambda i, o: None, message.get("delay_ns", 0)) for _ in range(count // most)]
            return [ns for batch in batches for ns in batch["calls_ns"]]
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
        if self.spoiled:
            raise Failure("host", "a call could not be captured in it as a CUDA graph: what that leaves behind is no other evaluation's to meet")
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
