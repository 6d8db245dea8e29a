"""What the built-in problems cost on a GPU, by arithmetic.

`python tests/python/problem_table.py` prints the table of docs/problems.md. Each problem runs on fake tensors, which
have shapes and no values, while every operator's bytes and operations are counted. Estimates are for a card of 3 TB/s,
50 TFLOP/s in float32 and 500 TFLOP/s in 16 bit: `eager` is the sum over operators run one by one, `limit` what one
perfect kernel would need. An operator takes at least 3 us, and caches help nothing.
"""
from __future__ import annotations

import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

SUITE = Path(__file__).resolve().parents[2] / "problems"
BYTES_PER_US = 3e6
FLOPS_PER_US = {torch.float32: 50e6, torch.float16: 500e6, torch.bfloat16: 500e6}
LAUNCH_US = 3.0


def load(path: Path, workload: str) -> types.ModuleType:
    """A problem as a module, the globals of the workload set."""
    module = types.ModuleType(path.stem)
    exec(compile(path.read_text(), str(path), "exec"), module.__dict__)  # noqa: S102
    vars(module).update(module.WORKLOADS.get(workload, {}))
    return module


def problems() -> list[Path]:
    return sorted(SUITE.glob("level*/*.py"))


def size(tree: Any) -> int:
    """Bytes of the tensors in a tree."""
    return sum(t.nbytes for t in tree_leaves(tree) if isinstance(t, torch.Tensor))


class Count(TorchDispatchMode):
    """Adds up the operators that run while it is entered."""

    def __init__(self) -> None:
        super().__init__()
        self.flops = 0
        self.compute_us = 0.0
        self.eager_us = 0.0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        returns = func._schema.returns
        if any(r.alias_info is not None and not r.alias_info.is_write for r in returns):
            return out  # A view moves nothing.
        formula = flop_registry.get(func._overloadpacket)
        flops = formula(*args, **(kwargs or {}), out_val=out) if formula else 0
        dtype = next((t.dtype for t in tree_leaves(out) if isinstance(t, torch.Tensor)), torch.float32)
        compute_us = flops / FLOPS_PER_US.get(dtype, FLOPS_PER_US[torch.float32])
        self.flops += flops
        self.compute_us += compute_us
        self.eager_us += max(LAUNCH_US, compute_us, (size(args) + size(out)) / BYTES_PER_US)
        return out


@dataclass(frozen=True)
class Estimate:
    bytes: int  # Inputs, parameters and outputs: what must at least move.
    flops: int  # Of matrix products and convolutions.
    limit_us: float
    eager_us: float


def estimate(module: types.ModuleType) -> Estimate:
    with FakeTensorMode(), torch.no_grad():
        model = module.Model(*module.get_init_inputs())
        inputs = module.get_inputs()
        before = size(inputs) + size(list(model.state_dict().values()))
        with Count() as count:
            outputs = model(*inputs)
    moved = before + size(outputs)
    return Estimate(moved, count.flops, max(count.compute_us, moved / BYTES_PER_US), count.eager_us)


def sizes(module: types.ModuleType) -> str:
    """The globals that the CPU workload replaces, as they are now: `rows 256, cols 2048`."""
    return ", ".join(f"{name} {getattr(module, name)}" for name in module.WORKLOADS["cpu"])


def row(path: Path) -> str:
    gpu, cpu = load(path, "gpu"), load(path, "cpu")
    e = estimate(gpu)
    flops = f"{e.flops / 1e9:.1f}" if e.flops else ""
    what = gpu.__doc__.rstrip(".")
    cells = [f"{path.parent.name}/{path.stem}", what, sizes(cpu), sizes(gpu), f"{e.bytes / 1e6:.0f}", flops,
             f"{e.limit_us:.0f}", f"{e.eager_us:.0f}"]
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    print("| name | what | CPU | GPU | MB | GFLOP | limit us | eager us |")
    print("|---|---|---|---|---:|---:|---:|---:|")
    print("\n".join(row(path) for path in problems()))
