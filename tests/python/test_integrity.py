"""The tripwire tells what was patched, by group, in whatever guise; nothing when nothing was, and nothing of what torch itself replaces."""
from __future__ import annotations

import builtins
import functools
import importlib
import os
import time
import traceback
import types
import warnings
from typing import Any, Callable

import pytest
import torch

import stand_ins  # noqa: F401
from kgym_runner import integrity

ROWS = [("clock", o, n) for o, n in integrity._CLOCKS] + [("harness", o, n) for o, n in integrity._HARNESS]
QUIET: dict[str, list[str]] = {"clock": [], "harness": []}
REAL_SEED = torch.manual_seed

# What an honest submission may import and call, which makes torch change itself.
HONEST = {
    "dynamo": "import torch._dynamo",
    "dynamo_twice": "import importlib, torch._dynamo; importlib.reload(torch._dynamo)",
    "seeded_under_dynamo": "import torch._dynamo; torch.manual_seed(1); torch.manual_seed(2)",
    "compile": "torch.compile(lambda x: x + 1, backend='eager')(torch.ones(2))",
    "compile_disabled": "torch.compiler.disable(lambda x: x)(torch.ones(2))",
    "inductor": "import torch._inductor.config",
    "profiler": "import torch.profiler\nwith torch.profiler.profile(): torch.ones(2) + 1",
    "export": "import torch.export; torch.export.export(torch.nn.Linear(2, 2), (torch.ones(1, 2),))",
    "functorch": "import functorch; functorch.vmap(torch.sin)(torch.ones(2, 2))",
    "func": "torch.func.grad(lambda x: x.sin().sum())(torch.ones(2))",
    "make_fx": "from torch.fx.experimental.proxy_tensor import make_fx; make_fx(torch.sin)(torch.ones(2))",
    "symbolic_trace": "import torch.fx; torch.fx.symbolic_trace(torch.nn.Linear(2, 2))",
    "script": "torch.jit.trace(torch.sin, torch.ones(2))",
    "deterministic": "torch.use_deterministic_algorithms(True)",
    "default_device": "torch.set_default_device('cpu'); torch.empty(2)",
    "default_dtype": "torch.set_default_dtype(torch.float64)",
    "checkpoint": "from torch.utils.checkpoint import checkpoint; checkpoint(torch.sin, torch.ones(2), use_reentrant=False)",
    "autocast": "with torch.autocast('cpu', torch.bfloat16): torch.ones(2, 2) @ torch.ones(2, 2)",
    "function_mode": ("from torch.overrides import TorchFunctionMode\nclass Mode(TorchFunctionMode):\n"
                      "    def __torch_function__(self, f, types, args=(), kwargs=None): return f(*args, **(kwargs or {}))\nwith Mode(): torch.ones(2)"),
    "dispatch_mode": ("from torch.utils._python_dispatch import TorchDispatchMode\nclass Mode(TorchDispatchMode):\n"
                      "    def __torch_dispatch__(self, f, types, args=(), kwargs=None): return f(*args, **(kwargs or {}))\nwith Mode(): torch.ones(2)"),
    "custom_op": "@torch.library.custom_op('kgym_test::same', mutates_args=())\ndef same(x: torch.Tensor) -> torch.Tensor: return x.clone()",
    "benchmark": "import torch.utils.benchmark as b; b.Timer('x + 1', globals={'x': torch.ones(2)}).timeit(2)",
    "fake_tensor": "from torch._subclasses import FakeTensorMode\nwith FakeTensorMode(): torch.ones(2)",
    "parametrized": "from torch.nn.utils import parametrizations; parametrizations.weight_norm(torch.nn.Linear(2, 2))(torch.ones(2))",
    "quantization": "import torch.ao.quantization",
    "cpp_extension": "import torch.utils.cpp_extension",
    "data": "import torch.utils.data; list(torch.utils.data.DataLoader(torch.ones(2)))",
    "random_fork": "with torch.random.fork_rng(): torch.manual_seed(3)",
    "distributed": "import torch.distributed",
    "package": "import torch.package, torch.hub, torch.onnx",
}


def in_a_fork(action: Callable[[], str]) -> str:
    """What the action returns in a process of its own: these imports cannot be taken back."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            text = action()
        except BaseException:  # noqa: BLE001
            text = traceback.format_exc()
        with open(write, "w", encoding="utf-8") as out:
            out.write(text)
        os._exit(0)
    os.close(write)
    with open(read, encoding="utf-8") as file:
        text = file.read()
    os.waitpid(pid, 0)
    return text


def test_quiet_when_nothing_was_patched() -> None:
    before = integrity.snapshot()
    torch.nn.Linear(2, 2)(torch.ones(2))
    assert integrity.changed(before) == QUIET == integrity.changed(integrity.snapshot())


@pytest.mark.parametrize("text", HONEST.values(), ids=HONEST)
def test_what_torch_does_to_itself_is_no_patch(text: str) -> None:
    def action() -> str:
        before = integrity.snapshot()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(text, {"torch": torch})
        return repr(integrity.changed(before))
    assert in_a_fork(action) == repr(QUIET)


def test_torch_does_replace_what_is_watched() -> None:
    """Else the cases above show nothing."""
    def action() -> str:
        importlib.import_module("torch._dynamo")
        return repr(torch.manual_seed is REAL_SEED)
    if "_dynamo" in vars(torch):
        pytest.skip("torch._dynamo was imported before")
    assert in_a_fork(action) == "False"


@pytest.mark.parametrize("group, owner, name", ROWS, ids=lambda v: getattr(v, "__name__", str(v)))
def test_each_patch_is_named(group: str, owner: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = integrity.snapshot()
    real = getattr(owner, name)
    monkeypatch.setattr(owner, name, type("Event", (), {}) if isinstance(real, type) else lambda *a, **k: real(*a, **k))
    found = integrity.changed(before)
    monkeypatch.undo()
    assert any(x.endswith("." + name) for x in found[group]) and integrity.changed(before) == QUIET


def _mine(*args: Any, **kwargs: Any) -> Any:
    return REAL_SEED(*args, **kwargs)


def _claims_to_be_torchs() -> Any:
    mine = types.FunctionType(_mine.__code__, globals(), "manual_seed")
    mine.__module__, mine.__qualname__, mine.__wrapped__ = "torch", "manual_seed", REAL_SEED
    return mine


def _claims_torchs_file(file: str) -> Any:
    """Code that names one of torch's files, and closes over the real function only."""
    text = "def outer(fn):\n    def inner(*args, **kwargs):\n        return fn(*args, **kwargs)\n    return inner"
    scope: dict[str, Any] = {}
    exec(compile(text, file, "exec"), scope)
    return functools.wraps(REAL_SEED)(scope["outer"](REAL_SEED))


def _torchs_wrapper_round_mine() -> Any:
    wrapper = torch._disable_dynamo(_mine)
    wrapper.__wrapped__ = REAL_SEED
    return wrapper


class _Callable:
    __module__, __wrapped__ = "torch", REAL_SEED

    def __call__(self, *args: Any) -> Any:
        return REAL_SEED(*args)


GUISES: dict[str, Callable[[], Any]] = {
    "plain": lambda: _mine,
    "functools_wraps": lambda: functools.wraps(REAL_SEED)(lambda *args: REAL_SEED(*args)),
    "claims_module": _claims_to_be_torchs,
    "claims_file": lambda: _claims_torchs_file(torch._compile.__file__),
    "claims_no_file": lambda: _claims_torchs_file(os.path.join(os.path.dirname(torch.__file__), "no_such_file.py")),
    "claims_file_by_detour": lambda: _claims_torchs_file(os.path.join(os.path.dirname(torch.__file__), "..", "..", "submission.py")),
    "torchs_wrapper_round_mine": _torchs_wrapper_round_mine,
    "torchs_wrapper_round_wraps": lambda: torch._disable_dynamo(functools.wraps(REAL_SEED)(_mine)),
    "another_function_of_torch": lambda: torch.seed,
    "copy_with_other_globals": lambda: types.FunctionType(REAL_SEED.__code__, {"__name__": "torch.random"}, "manual_seed", None, REAL_SEED.__closure__),
    "partial": lambda: functools.partial(REAL_SEED),
    "object": _Callable,
    "nothing": lambda: None,
}


@pytest.mark.parametrize("guise", GUISES.values(), ids=GUISES)
def test_a_patch_is_seen_in_whatever_guise(guise: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    before = integrity.snapshot()
    monkeypatch.setattr(torch, "manual_seed", guise())
    assert integrity.changed(before) == {"clock": [], "harness": ["torch.manual_seed"]}


def test_a_patch_under_torchs_own_wrapper_is_seen() -> None:
    """The submission's first, torch._dynamo's round it."""
    def action() -> str:
        before = integrity.snapshot()
        torch.manual_seed = functools.wraps(REAL_SEED)(lambda *args: REAL_SEED(*args))
        importlib.import_module("torch._dynamo")
        return repr(integrity.changed(before))
    assert in_a_fork(action) == repr({"clock": [], "harness": ["torch.manual_seed"]})


def test_what_is_watched_exists() -> None:
    assert all(hasattr(o, n) for _, o, n in ROWS) and (time, "perf_counter") in integrity._CLOCKS and (builtins, "open") in integrity._HARNESS
