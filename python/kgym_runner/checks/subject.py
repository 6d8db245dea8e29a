"""A problem under examination: its model, one set of inputs and the outputs for it; other sets are made when they are asked for."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import torch

from .. import device
from .finding import Finding
from .values import copied, identical, named_leaves


class Unsound(Exception):
    """A fault after which nothing else can be looked for."""

    def __init__(self, kind: str, message: str):
        super().__init__(message)
        self.finding = Finding(kind, "error", message)


def seed(number: int) -> None:
    torch.manual_seed(number)
    device.current().reseed(number)


def made_here(make: Callable[[], Any]) -> Any:
    """What `make` makes, on the device; where its code cannot make it there, moved to it."""
    here = device.current()
    if here.name == "cpu":
        return make()
    try:
        with here.scope():
            return make()
    except Exception:  # noqa: BLE001  (numpy, a generator of the CPU, ...)
        return make()


class Subject:
    """A loaded problem on the device. `samples`: how many parameters or operators at most are looked at one by one.

    inputs, outputs: of the first seed. redraw: makes other inputs of those that get_inputs gave, to try a repair.
    """

    def __init__(self, module: ModuleType, seeds: tuple[int, ...], samples: int = 48, redraw: Callable[[list[Any]], list[Any]] | None = None):
        self.module, self.seeds, self.samples, self.redraw = module, seeds, samples, redraw
        self.meta: dict[str, Any] = getattr(module, "META", {})
        here = device.current()
        seed(seeds[0])
        init = here.place(list(made_here(module.get_init_inputs)))
        seed(seeds[0])
        self.model = made_here(lambda: module.Model(*init)).to(here.name)
        self.state = {k: v.clone() for k, v in self.model.state_dict().items() if torch.is_tensor(v)}
        self.buffers = [k for k, _ in self.model.named_buffers()]
        self.inputs = self.make_inputs(seeds[0])
        self.changes_inputs = True  # Until it was seen that they stay.
        before = [copied(x) for x in self.inputs]
        self.outputs = self.call(before)
        self.mutated = [i for i, (x, y) in enumerate(zip(self.inputs, before)) if torch.is_tensor(x) and not identical(x, y)]
        self.changes_inputs = bool(self.mutated)
        if not self.outputs:
            raise Unsound("no_output", "forward returns no tensor and no number")

    def make_inputs(self, number: int) -> list[Any]:
        seed(number)
        inputs = made_here(self.module.get_inputs)
        if not isinstance(inputs, list):
            message = f"get_inputs() returned a {type(inputs).__name__}; a list of tensors or numbers is expected"
            raise Unsound("inputs_not_list", message)
        inputs = device.current().place(inputs)
        return self.redraw(inputs) if self.redraw else inputs

    def outputs_of(self, number: int) -> dict[str, torch.Tensor]:
        """Those for the inputs of another seed."""
        return self.run(self.make_inputs(number))

    def run(self, inputs: list[Any], rng: int = 0) -> dict[str, torch.Tensor]:
        """The tensors of one call that leaves `inputs` as they are, by their path in what forward returned. For the same
        `rng` a call finds the same random numbers."""
        return self.call([copied(x) for x in inputs] if self.changes_inputs else inputs, rng)

    def call(self, inputs: list[Any], rng: int = 0) -> dict[str, torch.Tensor]:
        """The same, but what forward does to its inputs stays done."""
        seed(rng)
        with device.current().precise():
            returned = self.model(*inputs)
        return {path: leaf.clone() for path, leaf in named_leaves(returned, "output")}

    def restore(self) -> None:
        """Buffers that forward changed, as they were."""
        if self.buffers:
            self.model.load_state_dict(self.state, strict=False)

    def parameters(self) -> Iterable[tuple[str, torch.Tensor]]:
        """Parameters and buffers; but not counters such as num_batches_tracked."""
        for name, tensor in [*self.model.named_parameters(), *self.model.named_buffers()]:
            if tensor.is_floating_point() or tensor.is_complex() or tensor.numel() > 1:
                yield name, tensor

    def exchanged(self, i: int, value: Any) -> dict[str, torch.Tensor]:
        """The outputs when one input has another value."""
        return self.run([*self.inputs[:i], value, *self.inputs[i + 1:]])

    def with_parameter(self, parameter: torch.Tensor, value: torch.Tensor) -> dict[str, torch.Tensor]:
        """The outputs when one parameter has another value."""
        saved = parameter.clone()
        try:
            parameter.copy_(value)
            return self.run(self.inputs)
        finally:
            parameter.copy_(saved)


def sample(items: list[Any], most: int) -> list[Any]:
    """At most so many of them, spread evenly, the first and the last among them."""
    if len(items) <= most:
        return items
    return [items[round(i * (len(items) - 1) / (most - 1))] for i in range(most)]
