"""What makes a problem fit to judge with, checked by running it.

A problem is sound when every input and every parameter matters, when nothing but them matters, and when no answer that
needs no work comes near the right one. `check_problem` says where a problem is not: an `error` would let a wrong
submission pass, or a right one fail; a `warning` is worth a look. It runs the problem on the CPU, prints nothing, and
leaves torch's random state as it was.

Threads: any, one at a time in a process, since torch's random state is the process's. Only for code that is trusted.
"""
from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch

# How near an answer is to pass. Absolute tolerances are relative to the root mean square of the expected output.
STRICT = (1e-4, 1e-5)  # (rtol, atol)
LOOSE = (1e-2, 1e-2)

# A forward on the CPU scale, and making its inputs, in milliseconds; inputs and outputs together, in bytes.
FORWARD_MS = (0.03, 200.0)
INPUTS_MS = 50.0
MEMORY = 64 << 20

META_KEYS = {
    "reduces": (int, str, list),
    "tolerance": (dict,),
    "perturb": (bool,),
    "in_place": (bool,),
    "tags": (list,),
}


@dataclass(frozen=True)
class Finding:
    """One fault of a problem. `kind` is a closed set: the kinds in this file."""

    kind: str
    severity: str  # "error" or "warning"
    message: str


def check_problem(module: ModuleType, workload: str, seeds: tuple[int, ...]) -> list[Finding]:
    """All faults found in a loaded problem; an empty list is a sound problem.

    module: as loaded, the globals of the workload set. workload: its name; "cpu" is held to limits of time and memory.
    seeds: at least two, all different. Raises ValueError when they are not.
    """
    if len(set(seeds)) < 2 or len(set(seeds)) != len(seeds):
        raise ValueError(f"seeds is {seeds}; at least two different ones are expected")
    findings = list(_form(module, workload))
    if any(f.severity == "error" for f in findings):
        return findings
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        try:
            subject = _Subject(module, seeds)
        except _Unsound as fault:
            return [*findings, fault.finding]
        except Exception as error:
            return [*findings, Finding("does_not_run", "error", _describe(error))]
        checks = [_repeats, _mutation, _inputs_matter, _parameters_matter, _varies, _trivial, _finite, _perturbs]
        if workload == "cpu":
            checks += [_time, _memory]
        for check in checks:
            try:
                findings += check(subject)
            except Exception as error:
                message = f"while looking for {check.__name__.strip('_')}: {_describe(error)}"
                findings.append(Finding("does_not_run", "error", message))
    return findings


class _Unsound(Exception):
    def __init__(self, kind: str, message: str):
        super().__init__(message)
        self.finding = Finding(kind, "error", message)


class _Subject:
    """A problem, its model made from the first seed, and for each seed the inputs and outputs."""

    def __init__(self, module: ModuleType, seeds: tuple[int, ...]):
        self.module = module
        self.meta: dict[str, Any] = getattr(module, "META", {})
        torch.manual_seed(seeds[0])
        self.model = module.Model(*module.get_init_inputs())
        self.state = {k: v.clone() for k, v in self.model.state_dict().items()}
        self.inputs = [self.make_inputs(seed) for seed in seeds]
        self.outputs = [self.run(inputs) for inputs in self.inputs]
        if not self.outputs[0]:
            raise _Unsound("no_output", "forward returns no tensor and no number")

    def make_inputs(self, seed: int) -> list[Any]:
        torch.manual_seed(seed)
        inputs = self.module.get_inputs()
        if not isinstance(inputs, list):
            message = f"get_inputs() returned a {type(inputs).__name__}; a list of tensors or numbers is expected"
            raise _Unsound("inputs_not_list", message)
        return inputs

    def run(self, inputs: list[Any], rng: int = 0) -> dict[str, torch.Tensor]:
        """The tensors of one call on copies of `inputs`, by their path in what forward returned. For the same `rng` a
        call finds the same random numbers."""
        return self.call([_copy(x) for x in inputs], rng)

    def call(self, inputs: list[Any], rng: int = 0) -> dict[str, torch.Tensor]:
        torch.manual_seed(rng)
        return {path: leaf.clone() for path, leaf in _leaves(self.model(*inputs), "output")}


def _form(module: ModuleType, workload: str) -> Iterator[Finding]:
    """Whether the parts are there and META and WORKLOADS make sense. Runs none of the problem's code."""
    for name in ("Model", "get_inputs", "get_init_inputs"):
        if not callable(getattr(module, name, None)):
            yield Finding("metadata", "error", f"{name} is missing")

    meta, workloads = getattr(module, "META", {}), getattr(module, "WORKLOADS", {})
    if not isinstance(meta, dict) or not isinstance(workloads, dict):
        yield Finding("metadata", "error", "META or WORKLOADS is not a dict")
        return
    for key, value in meta.items():
        if not isinstance(value, META_KEYS.get(key, ())):
            expected = " or ".join(t.__name__ for t in META_KEYS.get(key, ())) or f"one of {sorted(META_KEYS)}"
            yield Finding("metadata", "error", f"META[{key!r}] is {value!r}; {expected} is expected")
    if unknown := set(meta.get("tolerance", ())) - {"rtol", "atol_rms"}:
        message = f"META['tolerance'] has {sorted(unknown)}; 'rtol' and 'atol_rms' are expected"
        yield Finding("metadata", "error", message)

    reduces = meta.get("reduces", [])
    for factor in reduces if isinstance(reduces, list) else [reduces]:
        size = getattr(module, factor, None) if isinstance(factor, str) else factor
        if not isinstance(size, int) or size < 1:
            message = f"META['reduces'] names {factor!r}, which is no positive whole number"
            yield Finding("metadata", "error", message)

    for key, value in workloads.get(workload, {}).items():
        if (size := getattr(module, key, None)) != value:
            message = f"{key} is {size}, but workload {workload!r} says {value}"
            yield Finding("metadata", "error", message)


def _repeats(s: _Subject) -> Iterator[Finding]:
    """Nothing but inputs and parameters may matter: neither random numbers nor what was called before."""
    again = s.run(s.inputs[0])
    if _moved(s.outputs[0], again):
        yield Finding("hidden_state", "error", "a second call with the same inputs gives another output")
    elif _moved(s.outputs[0], s.run(s.inputs[0], rng=1)):
        yield Finding("random", "error", "the output changes with torch's random state")
    changed = [k for k, v in s.model.state_dict().items() if not torch.equal(v, s.state[k])]
    if changed:
        yield Finding("hidden_state", "warning", f"forward changes its own buffers: {', '.join(changed)}")


def _mutation(s: _Subject) -> Iterator[Finding]:
    inputs = [_copy(x) for x in s.inputs[0]]
    s.call(inputs)
    for i, (before, after) in enumerate(zip(s.inputs[0], inputs)):
        if torch.is_tensor(before) and not _identical(before, after) and not s.meta.get("in_place"):
            message = f"forward changes input {i}; set META['in_place'] if that is what it is for"
            yield Finding("mutates_inputs", "warning", message)


def _inputs_matter(s: _Subject) -> Iterator[Finding]:
    """Each input alone is exchanged for another seed's, or changed where all seeds have the same; then a block."""
    for i, (mine, other) in enumerate(zip(s.inputs[0], s.inputs[1])):
        if not torch.is_tensor(mine):
            continue
        changed = _change(mine) if _identical(mine, other) else other
        if changed is None:
            continue
        if not _moved(s.outputs[0], _exchanged(s, i, changed)):
            yield Finding("input_ignored", "error", f"the output does not depend on input {i}")
        elif changed.shape == mine.shape and not _moved(s.outputs[0], _exchanged(s, i, _with_block_of(mine, changed))):
            message = f"the output stays within tolerance when a sixteenth of input {i} is exchanged"
            yield Finding("insensitive", "warning", message)


def _parameters_matter(s: _Subject) -> Iterator[Finding]:
    """Each parameter alone is changed; and left out, that is set to all zeros or all ones."""
    for name, parameter in _parameters(s.model):
        changed = _change(parameter)
        if changed is None:
            continue
        if not _moved(s.outputs[0], _with(s, parameter, changed)):
            severity = "error" if isinstance(parameter, torch.nn.Parameter) else "warning"
            yield Finding("parameter_ignored", severity, f"the output does not depend on {name}")
            continue
        for fill in (0, 1):
            if not _moved(s.outputs[0], _with(s, parameter, torch.full_like(parameter, fill))):
                message = f"{name} may be left out: all {'ones' if fill else 'zeros'} give the same output"
                yield Finding("trivial_parameter", "warning", message)


def _varies(s: _Subject) -> Iterator[Finding]:
    """An output remembered from other inputs must be wrong."""
    for path, expected in s.outputs[0].items():
        others = [outputs.get(path) for outputs in s.outputs[1:]]
        for tolerance, severity in ((STRICT, "error"), (LOOSE, "warning")):
            if all(_close(other, expected, tolerance) for other in others):
                message = f"{path} is the same for all seeds{_within(tolerance)}"
                yield Finding("constant", severity, message)
                break


def _trivial(s: _Subject) -> Iterator[Finding]:
    """Answers that need no work must be wrong, each output taken alone."""
    for path, expected in s.outputs[0].items():
        for name, answer in _trivial_answers(expected, s.inputs[0]):
            for tolerance, severity in ((STRICT, "error"), (LOOSE, "warning")):
                if _close(answer, expected, tolerance):
                    yield Finding("trivial_answer", severity, f"{path} passes as {name}{_within(tolerance)}")
                    break


def _trivial_answers(expected: torch.Tensor, inputs: list[Any]) -> Iterator[tuple[str, torch.Tensor]]:
    yield "zeros", torch.zeros_like(expected)
    yield "ones", torch.ones_like(expected)
    if expected.numel() > 1 and expected.is_floating_point():
        yield "a constant", torch.full_like(expected, expected[expected.isfinite()].double().mean().item())
    for i, x in enumerate(inputs):
        if torch.is_tensor(x) and x.shape == expected.shape:
            yield f"a copy of input {i}", x.to(expected.dtype)


def _finite(s: _Subject) -> Iterator[Finding]:
    for path, leaf in s.outputs[0].items():
        share = 1 - _finite_share(leaf)
        if share > 0:
            message = f"{share:.1%} of {path} is infinite or not a number"
            yield Finding("non_finite", "error" if share > 0.5 else "warning", message)


def _perturbs(s: _Subject) -> Iterator[Finding]:
    """The judge makes unlike inputs by scaling a block of each; unless META forbids it the problem must bear that."""
    if s.meta.get("perturb", True) is False:
        return
    for i, x in enumerate(s.inputs[0]):
        if not torch.is_tensor(x) or not x.is_floating_point():
            continue
        scaled = x.clone(memory_format=torch.contiguous_format)
        scaled.view(-1)[: max(1, x.numel() // 2)] *= 4
        for path, leaf in _exchanged(s, i, scaled).items():
            if _finite_share(leaf) < _finite_share(s.outputs[0][path]):
                message = f"{path} is not finite once half of input {i} is scaled by 4; set META['perturb'] to False"
                yield Finding("perturb", "error", message)


def _time(s: _Subject) -> Iterator[Finding]:
    forward = min(_milliseconds(lambda copies=[_copy(x) for x in s.inputs[0]]: s.model(*copies)) for _ in range(5))
    if not FORWARD_MS[0] <= forward <= FORWARD_MS[1]:
        message = f"forward takes {forward:.3f} ms; {FORWARD_MS[0]} to {FORWARD_MS[1]} ms is expected"
        yield Finding("time", "warning", message)
    inputs = min(_milliseconds(s.module.get_inputs) for _ in range(3))
    if inputs > INPUTS_MS:
        yield Finding("time", "warning", f"get_inputs takes {inputs:.0f} ms; at most {INPUTS_MS:.0f} ms is expected")


def _memory(s: _Subject) -> Iterator[Finding]:
    tensors = [x for x in s.inputs[0] if torch.is_tensor(x)] + list(s.outputs[0].values())
    size = sum(t.nbytes for t in tensors)
    if size > MEMORY:
        message = f"inputs and outputs take {size >> 20} MiB; at most {MEMORY >> 20} MiB is expected"
        yield Finding("memory", "warning", message)


def _leaves(value: Any, path: str) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors in what forward returned, numbers as tensors, with their paths."""
    if torch.is_tensor(value):
        yield path, value
    elif isinstance(value, (bool, int, float, complex)):
        yield path, torch.tensor(value)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, f"{path}[{key!r}]")
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from _leaves(item, f"{path}[{i}]")


def _parameters(model: torch.nn.Module) -> Iterable[tuple[str, torch.Tensor]]:
    """Parameters and buffers; but not counters such as num_batches_tracked."""
    for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
        if tensor.is_floating_point() or tensor.is_complex() or tensor.numel() > 1:
            yield name, tensor


def _exchanged(s: _Subject, i: int, value: torch.Tensor) -> dict[str, torch.Tensor]:
    """The outputs when one input has another value."""
    return s.run([*s.inputs[0][:i], value, *s.inputs[0][i + 1 :]])


def _with_block_of(x: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """x with the first sixteenth of its elements from `other`."""
    mixed = x.clone(memory_format=torch.contiguous_format)
    length = max(1, x.numel() // 16)
    mixed.view(-1)[:length] = other.reshape(-1)[:length]
    return mixed


def _with(s: _Subject, parameter: torch.Tensor, value: torch.Tensor) -> dict[str, torch.Tensor]:
    """The outputs when one parameter has another value."""
    saved = parameter.clone()
    try:
        parameter.copy_(value)
        return s.run(s.inputs[0])
    finally:
        parameter.copy_(saved)


def _change(x: torch.Tensor) -> torch.Tensor | None:
    """Other values that are likely to be valid where those of x are: floats scaled up, flags turned, whole numbers in
    another order. None where there is no such change, as in a tensor of equal whole numbers."""
    if x.dtype == torch.bool:
        return ~x
    if x.is_floating_point() or x.is_complex():
        return x * (2 + 2 * torch.rand(x.shape)).to(x.dtype) + (x == 0)
    changed = x.flatten().roll(1).view(x.shape)
    return None if torch.equal(changed, x) else changed


def _moved(before: dict[str, torch.Tensor], after: dict[str, torch.Tensor]) -> bool:
    """Whether any output differs by more than an answer may."""
    return before.keys() != after.keys() or any(not _close(after[path], before[path], STRICT) for path in before)


def _close(answer: torch.Tensor | None, expected: torch.Tensor, tolerance: tuple[float, float]) -> bool:
    """Floating values within the tolerance everywhere, others equal."""
    if answer is None or answer.shape != expected.shape or answer.dtype != expected.dtype:
        return False
    if not (expected.is_floating_point() or expected.is_complex()):
        return torch.equal(answer, expected)
    wide = torch.promote_types(expected.dtype, torch.float32)
    answer, expected = answer.to(wide), expected.to(wide)
    finite = expected[expected.isfinite()]
    rms = finite.abs().double().square().mean().sqrt().item() if finite.numel() else 0.0
    return torch.allclose(answer, expected, rtol=tolerance[0], atol=tolerance[1] * rms, equal_nan=True)


def _identical(a: Any, b: Any) -> bool:
    """The same shape, type and values, where nothing equals not-a-number but itself."""
    if not torch.is_tensor(a) or not torch.is_tensor(b) or a.shape != b.shape or a.dtype != b.dtype:
        return False
    return bool(((a == b) | ((a != a) & (b != b))).all())


def _finite_share(x: torch.Tensor) -> float:
    return x.isfinite().float().mean().item() if x.numel() else 1.0


def _copy(x: Any) -> Any:
    return x.clone() if torch.is_tensor(x) else x


def _within(tolerance: tuple[float, float]) -> str:
    return "" if tolerance == STRICT else f", within {tolerance[0]:.0%}"


def _milliseconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return 1e3 * (time.perf_counter() - start)


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
