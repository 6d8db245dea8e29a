"""How large a problem is, told without running it: on fake tensors, which have shapes and no values. And sizes that fit.

Bytes and operations are those of one call. Times are arithmetic for a card of 3 TB/s, 50 TFLOP/s in float32 and 500 in 16 bit.
"""
from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from .finding import Finding, Repair

BYTES_PER_US = 3e6
FLOPS_PER_US = {torch.float32: 50e6, torch.float16: 500e6, torch.bfloat16: 500e6}
SHORTEST_US = 10.0  # A call of a perfect kernel below this is lost in the cost of launching it, about 5 us.
GOAL_US = 20.0
CARD = 79 << 30  # Bytes of the card that a problem's own sizes are meant for, where there is none to ask.
CONTEXTS = 5 << 30  # What two processes with a CUDA context take of it, and some spare.

_BATCHES = ("batch_size", "batch", "bs", "B")
_FEWEST_IN_BATCH, _FEWEST = 4, 16  # Sizes are not halved below these.

Load = Callable[[dict[str, Any]], ModuleType]


@dataclass(frozen=True)
class Size:
    """inputs, outputs, state: bytes. working: the most that one operator reads and writes. flops: of products and convolutions. compute_us: what they take."""
    inputs: int
    outputs: int
    state: int
    working: int
    flops: int
    compute_us: float

    @property
    def limit_us(self) -> float:
        """What one perfect kernel would need."""
        return max(self.compute_us, (self.inputs + self.outputs + self.state) / BYTES_PER_US)

    @property
    def check_bytes(self) -> int:
        """What it takes to examine the problem: two sets of inputs and a changed one, outputs and others to compare with, pieces in float64."""
        return 3 * self.inputs + 4 * self.outputs + 2 * self.state + self.working + (512 << 20)

    @property
    def judge_bytes(self) -> int:
        """What an evaluation takes of a card where memory is dear (src/judge/memory_need.cc): two slots, what is compared, both sides' calls."""
        peak = max(self.outputs, self.working - self.inputs)
        reference = 2 * (self.inputs + self.outputs) + max(2 * self.inputs, self.inputs + 2 * self.outputs + peak)
        return reference + max(self.inputs, self.outputs) + peak + 2 * self.state + CONTEXTS

    def json(self) -> dict[str, Any]:
        megabytes = {f"{name}_mb": round(getattr(self, name) / 1e6, 3) for name in ("inputs", "outputs", "state")}
        return {**megabytes, "gflop": round(self.flops / 1e9, 3), "limit_us": round(self.limit_us, 1), "judge_gb": round(self.judge_bytes / 1e9, 2)}


def _bytes(tree: Any) -> int:
    return sum(t.numel() * t.element_size() for t in tree_leaves(tree) if isinstance(t, torch.Tensor))


class _Count(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.flops, self.working, self.compute_us = 0, 0, 0.0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        from torch.utils.flop_counter import flop_registry
        out = func(*args, **(kwargs or {}))
        if any(r.alias_info is not None and not r.alias_info.is_write for r in func._schema.returns):
            return out  # A view moves nothing.
        formula = flop_registry.get(func._overloadpacket)
        flops = formula(*args, **(kwargs or {}), out_val=out) if formula else 0
        dtype = next((t.dtype for t in tree_leaves(out) if isinstance(t, torch.Tensor)), torch.float32)
        self.flops += flops
        self.compute_us += flops / FLOPS_PER_US.get(dtype, FLOPS_PER_US[torch.float32])
        self.working = max(self.working, _bytes((args, kwargs)) + _bytes(out))
        return out


def size_of(module: ModuleType) -> Size | None:
    """None where its code does not run on tensors without values."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    try:
        with FakeTensorMode(allow_non_fake_inputs=True), torch.no_grad():
            model, inputs = module.Model(*module.get_init_inputs()), module.get_inputs()
            with _Count() as count:
                outputs = model(*inputs)
            return Size(_bytes(inputs), _bytes(outputs), _bytes(list(model.state_dict().values())), count.working, count.flops, count.compute_us)
    except Exception:  # noqa: BLE001  (values are asked for; or the problem does not run at all, which is found later)
        return None


def _numbers(module: ModuleType) -> list[tuple[str, int]]:
    """Globals that may be sizes, those of a batch first, then the largest: (name, value), of a tuple its largest element."""
    found = []
    for name, value in vars(module).items():
        largest = value if type(value) is int else max(value, default=0) if isinstance(value, tuple) and value and all(type(v) is int for v in value) else 0
        if largest > 1 and not name.startswith("_"):
            found.append((name, largest))
    return sorted(found, key=lambda item: (item[0] not in _BATCHES, -item[1]))


def _scaled(value: Any, doublings: int) -> Any:
    """A size, or the largest element of a tuple of sizes, doubled so often (halved where negative)."""
    if isinstance(value, tuple):
        at = value.index(max(value))
        return (*value[:at], _scaled(value[at], doublings), *value[at + 1:])
    return value << doublings if doublings >= 0 else value >> -doublings


def _halvings(value: int, name: str, cost: float) -> int:
    """How often to halve a size at once: it may matter by its square."""
    room = int(math.log2(value / (_FEWEST_IN_BATCH if name in _BATCHES else _FEWEST)))
    return max(1, min(room, math.ceil(math.log2(cost) / 2)))


def _attempt(load: Load, sizes: dict[str, Any]) -> tuple[ModuleType, Size] | None:
    try:
        module = load(sizes)
    except Exception:  # noqa: BLE001  (it cannot do with such sizes)
        return None
    size = size_of(module)
    return (module, size) if size else None


def shrunk(load: Load, size: Size, cost: Callable[[Size], float], until: float) -> tuple[dict[str, Any], Size]:
    """Sizes in place of a problem's own for which `cost` is at most 1 or as low as it gets, by halving one after the other, and what they come to.

    size: of the problem as it is. until: the moment of time.monotonic() after which no other sizes are tried.
    """
    chosen: dict[str, Any] = {}
    module = load(chosen)
    stuck: set[str] = set()
    while cost(size) > 1 and time.monotonic() < until:
        name = next((n for n, v in _numbers(module) if n not in stuck and v >= 2 * (_FEWEST_IN_BATCH if n in _BATCHES else _FEWEST)), None)
        if name is None:
            break
        largest = dict(_numbers(module))[name]
        for halvings in dict.fromkeys((_halvings(largest, name, cost(size)), 1)):
            sizes = {**chosen, name: _scaled(getattr(module, name), -halvings)}
            found = _attempt(load, sizes)
            if found and cost(found[1]) < cost(size):
                chosen, (module, size) = sizes, found
                break
        else:
            stuck.add(name)
    return chosen, size


def grown(load: Load, size: Size, goal_us: float, until: float) -> dict[str, Any] | None:
    """Sizes for which a call takes at least as long, by doubling one of them. None where there is none."""
    module = load({})
    for name, _ in _numbers(module):
        value, last = getattr(module, name), size
        while time.monotonic() < until:
            value = _scaled(value, 1)
            found = _attempt(load, {name: value})
            if found is None or found[1].limit_us <= last.limit_us:
                break
            last = found[1]
            if last.limit_us >= goal_us:
                return {name: value}
    return None


def _told(sizes: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sizes.items())


def _gb(count: float) -> str:
    return f"{count / 1e9:.3g} GB"


def too_small(load: Load, size: Size, until: float) -> Iterator[Finding]:
    if size.limit_us >= SHORTEST_US:
        return
    sizes = grown(load, size, GOAL_US, until)
    repair = Repair(f"larger sizes: {_told(sizes)}", sizes=sizes, confirmed=True) if sizes else Repair("larger sizes")
    yield Finding("too_small", "warning", f"one perfect kernel would take {size.limit_us:.2g} us on a large card, less than launching it", repair)


def _fitting(load: Load, size: Size, cost: Callable[[Size], float], until: float) -> Repair:
    sizes, becomes = shrunk(load, size, cost, until)
    if cost(becomes) > 1:
        return Repair("smaller sizes")
    return Repair(f"smaller sizes: {_told(sizes)}", sizes=sizes, confirmed=True)


def too_big(load: Load, size: Size, room: float, card: int, until: float) -> Iterator[Finding]:
    """An error where it cannot even be looked at in `room` bytes; a warning where an evaluation does not fit on a card."""
    if size.check_bytes > room:
        message = f"it needs {_gb(size.check_bytes)} to be looked at, {_gb(room)} are there"
        yield Finding("too_big", "error", message, _fitting(load, size, lambda s: s.check_bytes / room, until))
    elif size.judge_bytes > card:
        message = f"an evaluation needs {_gb(size.judge_bytes)}, a card has {_gb(card)}"
        yield Finding("too_big", "warning", message, _fitting(load, size, lambda s: s.judge_bytes / card, until))


def samples_for(size: Size | None) -> int:
    """How many parameters or operators are looked at one by one: fewer where a call is dear."""
    return 48 if size is None or not size.flops else max(8, min(48, math.floor(4e10 / size.flops)))
