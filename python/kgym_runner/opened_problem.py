"""A problem as a reference host has it open: its code, its model under the init seed, and what was learnt by running it.

Where a call's tensors are *dear* (above `DEAR` bytes together) nothing of their size is kept: an example is made again from its seed when it is asked for,
if get_inputs can do that, and of the outputs only the first elements of each tensor stay. Main thread of a reference host.
"""
from __future__ import annotations

import os
import random
import time
import types
from typing import Any, Callable, Iterator

import torch

from . import device, diagnose, inputs as input_sets
from .compare import compare, equal_bits
from .pieces import is_big, is_uniform
from .problem import line_of, load_problem, reduction_length
from .tolerance import in_float64, tolerances
from .tree import Unsupported, encode, leaves, nbytes, plan, rebuild, size
from .wire import Failure, describe, foreign_trace

DEAR = 512 << 20  # Bytes of inputs and outputs together.
_HERE = os.path.dirname(os.path.abspath(__file__))
_HEAD = 1 << 18  # Elements that are kept of each output where outputs are dear.


def clone(value: Any) -> Any:
    return rebuild(value, lambda t: t.clone())


def load(source: bytes, message: dict[str, Any]) -> types.ModuleType:
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Failure("problem", "line %d: not UTF-8" % (1 + source[:error.start].count(b"\n"))) from None
    return load_problem(text, message["name"], message["workload"], message.get("sizes"))


def _shortest(action: Callable[[], Any], repeats: int = 3) -> int:
    """The shortest time of a few runs, in nanoseconds: what it takes once everything is warm."""
    spans = []
    for _ in range(repeats):
        device.current().synchronize()
        start = time.monotonic_ns()
        action()
        device.current().synchronize()
        spans.append(time.monotonic_ns() - start)
    return min(spans)


def _tensors_of(holder: dict[str, Any]) -> Iterator[torch.Tensor]:
    """Tensors among the values, and one level further down."""
    for value in holder.values():
        for one in value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(one, torch.Tensor):
                yield one


def _place(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr() if tensor.layout is torch.strided else 0


class Problem:
    """dear: see above. made_again: its input sets are not kept but made again from their seeds."""

    def __init__(self, message: dict[str, Any], source: bytes):
        self.module = load(source, message)
        self.seed = message["seed"]
        input_sets.reseed(self.seed)
        self.init_inputs = self._run("get_init_inputs()", self.module.get_init_inputs)
        if not isinstance(self.init_inputs, (list, tuple)):
            raise Failure("problem", "%sget_init_inputs() returned a %s; a list is expected" % (line_of(self.module.get_init_inputs), type(self.init_inputs).__name__))
        self._run("get_init_inputs()", lambda: encode(list(self.init_inputs), lambda t: 0, "get_init_inputs()"))
        self.init_inputs = device.current().place(list(self.init_inputs))
        input_sets.reseed(self.seed)
        self.model = self._run("Model(...)", lambda: self.module.Model(*clone(list(self.init_inputs))))
        if not isinstance(self.model, torch.nn.Module):
            raise Failure("problem", "Model(...) is a %s; a torch.nn.Module is expected" % type(self.model).__name__)
        self.model = self._run("Model(...)", lambda: self.model.to(device.current().name))
        self.state = {k: v.detach().clone() for k, v in self.model.state_dict().items() if isinstance(v, torch.Tensor)}
        self._run("the state of Model(...)", lambda: encode(self.state, lambda t: 0, "the state of Model"))
        self._learn(message.get("tolerance") or {})

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

    def apart(self, outputs: Any, values: list[Any]) -> Any:
        """Outputs that later calls leave alone: copies, but for large tensors that have a memory of their own already."""
        if not any(map(is_big, leaves(outputs))):
            return clone(outputs)
        holders = [vars(m) for m in self.model.modules()] + [vars(self.module)]
        held = {_place(t) for t in leaves(values)} | {_place(t) for holder in holders for t in _tensors_of(holder)}
        def alone(t: torch.Tensor) -> bool:
            return is_big(t) and t.layout is torch.strided and t.is_contiguous() and t.untyped_storage().nbytes() == nbytes(t) and _place(t) not in held
        return rebuild(outputs, lambda t: t.detach() if alone(t) else t.clone())

    def expected(self, values: list[Any]) -> Any:
        """The answer to inputs that are the caller's own; what it leaves in them stays there."""
        return self.apart(self.answer(values), values)

    def _once(self, example: list[Any], seed: int, call: Callable[[list[Any]], Any]) -> tuple[Any, list[Any]]:
        """The outputs, apart, and what the call left in its inputs."""
        input_sets.reseed(seed)
        values = clone(example)
        return self._run("Model.forward", lambda: self.apart(call(values), values)), values

    def _learn(self, override: dict[str, float]) -> None:
        """Runs the problem. Of everything as large as a call's tensors no more is held at a time than the next step needs."""
        seed = random.getrandbits(63)
        example = input_sets.fresh(self.module, seed)
        self.generate_ns = _shortest(lambda: input_sets.fresh(self.module, random.getrandbits(63)))
        first = self._first_answer(example)
        second = self._once(example, 2, self.answer)[0]
        values = clone(example)
        self.forward_ns = _shortest(lambda: self.forward(values))
        del values
        if compare(second, first, tolerances(first, None, 1, {})).kind:
            raise Failure("problem", "%sit is random: the same inputs gave different outputs" % line_of(type(self.model).forward))
        del second
        self.reduction = reduction_length(self.module)
        exact, usual = in_float64(self.restore(), example), self._once(example, 2, self.forward)[0]
        self.allowed = tolerances(first, exact, self.reduction, {
            **((getattr(self.module, "META", None) or {}).get("tolerance") or {}), **override}, usual)
        del exact, usual
        self.input_bytes, self.output_bytes = size(example), size(first)
        self.dear = self.input_bytes + self.output_bytes > DEAR
        self.layout = plan(first, 0)
        self._description = self._describe(example, first)
        self.outputs = rebuild(first, lambda t: t.reshape(-1)[:_HEAD].clone() if t.numel() > _HEAD else t) if self.dear else first
        del first
        self._example, self._example_seed = (None if self.dear else example), seed
        if self.dear:
            example = None
            self.made_again = input_sets.can_be_made_again(self.module, seed)
        else:
            self.made_again = False

    def _first_answer(self, example: list[Any]) -> Any:
        """The first outputs, and with them what a call takes and changes."""
        self.stateful = False
        with device.current().peak() as peak:
            first, after = self._once(example, 1, self.answer)
        self.peak_bytes = max(0, (peak.bytes or 0) - size(after))
        self._run("its output", lambda: encode(first, lambda t: 0))
        if not size(first) and any(True for _ in leaves(first)):
            raise Failure("problem", "its output is empty at these sizes: there is nothing to judge")
        self.stateful = not equal_bits({k: v for k, v in self.model.state_dict().items() if k in self.state}, self.state)
        self.changes = [i for i, (a, b) in enumerate(zip(example, after)) if not equal_bits(a, b)]
        return first

    def example(self) -> list[Any]:
        """Inputs as get_inputs makes them, not to be changed; new ones where they are dear."""
        return input_sets.fresh(self.module, self._example_seed) if self._example is None else self._example

    def describe(self) -> dict[str, Any]:
        return {**self._description, "dear": self.dear, "made_again": self.made_again}

    def _describe(self, example: list[Any], outputs: Any) -> dict[str, Any]:
        return {"unsound": _unsound(outputs, example), "inputs": plan(example, 0)["v"], "outputs": self.layout, "input_bytes": self.input_bytes,
                "output_bytes": self.output_bytes, "generate_ns": self.generate_ns, "forward_ns": self.forward_ns, "changes_inputs": self.changes,
                "stateful": self.stateful, "reduction": self.reduction, "tolerances": [t.json() if t else None for t in self.allowed],
                "operators": self._operators(example), "peak_bytes": self.peak_bytes}

    def _operators(self, example: list[Any]) -> dict[str, int]:
        from .own_work import reference_ops
        return reference_ops(lambda *values: self.forward(list(values)), clone(example))


def _unsound(outputs: Any, example: list[Any]) -> list[str]:
    """What a person must know before believing an `ok` on this problem."""
    found = []
    copied = diagnose.copy_of_input(outputs, example)
    if copied is not None:
        found.append("the problem is unsound: its answer is a copy of input %d, so a submission that copies passes" % copied)
    if any(t.numel() > 1 and is_uniform(t) for t in leaves(outputs)):
        found.append("the problem is unsound: an output is one constant, so a submission that fills passes")
    return found
