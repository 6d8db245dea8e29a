"""What the output depends on: every input and every parameter, and nothing else."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from .finding import Finding, Repair
from .subject import Subject, made_here, sample, seed
from .values import change, copied, identical, moved


def repeats(s: Subject) -> Iterator[Finding]:
    """Neither random numbers nor what was called before may matter."""
    s.restore()
    first, again = s.outputs, s.run(s.inputs)
    if moved(first, again):
        yield Finding("hidden_state", "error", "a second call with the same inputs gives another output",
                      Repair("keep what changes from call to call in buffers, or leave it out"))
    elif moved(first, s.run(s.inputs, rng=1)):
        yield Finding("random", "error", "the output changes with torch's random state",
                      Repair("leave dropout and sampling out of forward (p = 0, training=False), or make the random numbers an input"))
    state = s.model.state_dict()
    if changed := [k for k, v in s.state.items() if not torch.equal(state[k], v)]:
        yield Finding("hidden_state", "warning", f"forward changes its own buffers: {', '.join(changed)}",
                      Repair("normalize with the given statistics: F.batch_norm(..., training=False), or call self.eval() in __init__"))
    s.restore()


def mutation(s: Subject) -> Iterator[Finding]:
    if s.meta.get("in_place"):
        return
    for i in s.mutated:
        message = f"forward changes input {i}; set META['in_place'] if that is what it is for"
        repair = Repair("META['in_place'] = True, or the operator that does not work in place", meta={"in_place": True})
        yield Finding("mutates_inputs", "warning", message, repair)


def seeds(s: Subject) -> Iterator[Finding]:
    """Inputs must follow the judge's secret seed: a problem that sets its own makes them known to whoever reads it."""
    def leaves_a_seed(run: Callable[[], Any]) -> bool:
        drawn = []
        for number in s.seeds[:2]:
            seed(number)
            run()
            drawn.append(torch.rand(4, device="cpu"))
        return torch.equal(drawn[0], drawn[1])
    without = Repair("leave torch.manual_seed out of the problem: whoever runs it sets the seed")
    if leaves_a_seed(lambda: made_here(s.module.get_inputs)):
        yield Finding("seed_leak", "error", "get_inputs sets torch's seed: its inputs, and those after them, are known beforehand", without)
    if leaves_a_seed(lambda: s.model(*[copied(x) for x in s.inputs])):
        yield Finding("seed_leak", "error", "forward sets torch's seed: whatever is drawn after it is known beforehand", without)
    if leaves_a_seed(lambda: made_here(lambda: s.module.Model(*s.module.get_init_inputs()))):
        yield Finding("seed_leak", "warning", "Model sets torch's seed: its weights are known beforehand", without)


def _with_block_of(x: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """x with the first sixteenth of its elements from `other`."""
    mixed = x.clone(memory_format=torch.contiguous_format)
    length = max(1, x.numel() // 16)
    mixed.view(-1)[:length] = other.reshape(-1)[:length]
    return mixed


def inputs(s: Subject) -> Iterator[Finding]:
    """Each input alone is exchanged for another seed's, or changed where all seeds have the same; then a block."""
    others = s.make_inputs(s.seeds[1])
    tensors = [i for i, x in enumerate(s.inputs) if torch.is_tensor(x)]
    fixed = [i for i in tensors if identical(s.inputs[i], others[i])]
    floating = [i for i in tensors if s.inputs[i].is_floating_point() and s.inputs[i].numel() > 1]
    if floating and set(floating) <= set(fixed):
        yield Finding("fixed_inputs", "error", "no floating input changes with the seed: an answer made beforehand passes", 
                      Repair("draw inputs with torch's default generator when get_inputs is called"))
    for i in tensors:
        mine, other = s.inputs[i], change(s.inputs[i]) if i in fixed else others[i]
        if other is None:
            continue
        if not moved(s.outputs, s.exchanged(i, other)):
            yield Finding("input_ignored", "error", f"the output does not depend on input {i}", Repair(f"leave input {i} out, or make forward use it"))
        elif other.shape == mine.shape and not moved(s.outputs, s.exchanged(i, _with_block_of(mine, other))):
            message = f"the output stays within tolerance when a sixteenth of input {i} is exchanged"
            yield Finding("insensitive", "warning", message)


def parameters(s: Subject) -> Iterator[Finding]:
    """Each parameter alone is changed; and left out, that is set to all zeros or all ones."""
    ignored: dict[str, list[str]] = {"error": [], "warning": []}
    trivial: dict[int, list[str]] = {0: [], 1: []}
    everything = list(s.parameters())
    looked_at = sample(everything, s.samples)
    for name, parameter in looked_at:
        changed = change(parameter)
        if changed is None:
            continue
        if not moved(s.outputs, s.with_parameter(parameter, changed)):
            ignored["error" if isinstance(parameter, torch.nn.Parameter) else "warning"].append(name)
            continue
        for fill, found in trivial.items():
            if not moved(s.outputs, s.with_parameter(parameter, torch.full_like(parameter, fill))):
                found.append(name)
    of = f" (of {len(looked_at)} looked at, of {len(everything)})" if len(looked_at) < len(everything) else ""
    for severity, names in ignored.items():
        if names:
            yield Finding("parameter_ignored", severity, f"the output does not depend on {_listed(names)}{of}",
                          Repair("leave it out, such as by bias=False where a normalization or a softmax follows, or change what cancels it"))
    for fill, names in trivial.items():
        if names:
            draw = f"{fill} + 0.5 * torch.randn_like(p)" if fill else "0.5 * torch.randn_like(p)"
            yield Finding("trivial_parameter", "warning", f"all {'ones' if fill else 'zeros'} in their place give the same output: {_listed(names)}{of}",
                          Repair(f"draw them in __init__, under torch.no_grad(): p.copy_({draw})"))


def _listed(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 6 else f"{', '.join(names[:5])} and {len(names) - 5} more"
