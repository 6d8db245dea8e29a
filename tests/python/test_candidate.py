"""The candidate host: what each stage's failure is called, how weights are taken over, state, and which outputs are refused."""
from __future__ import annotations

import os
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
import torch

from stand_ins import Exchange, Probe, file_of, problem_source
from kgym_runner import candidate as module
from kgym_runner.candidate import Candidate
from kgym_runner.compare import equal_bits
from kgym_runner.wire import Failure

DOUBLE = problem_source("return x * 2")
LAYERS = problem_source("return self.b(torch.relu(self.a(x)))", init="self.a, self.b = nn.Linear(64, 32), nn.Linear(32, 32)")
NORM = problem_source("return self.bn(x)", init="self.bn = nn.BatchNorm1d(64)")


@pytest.fixture(autouse=True)
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A host's folders are its own; here they are the test's. What a load puts into the interpreter is taken out again."""
    monkeypatch.setattr(module, "_HOME", str(tmp_path / "submission"))
    monkeypatch.setattr(module, "private_folder", lambda: str(tmp_path))
    main = sys.modules["__main__"]
    before = set(vars(main))
    yield
    for name in set(vars(main)) - before:
        delattr(main, name)
    sys.modules.pop("submission", None)


class Pair:
    """A candidate with a submission loaded, beside a reference host with its problem."""

    def __init__(self, problem: str, submission: str, **message: Any):
        self.exchange = Exchange(problem)
        self.candidate = Candidate(Probe())
        begun = self.exchange.begun
        self.candidate.op_attach({"length": begun["length"]}, [self.exchange.reference.evaluation.fd])
        fd = file_of(textwrap.dedent(submission).encode())
        request = {"backend": "cpp", "entry": "ModelNew", "artefacts": [], "pattern": -1, **{k: begun[k] for k in ("init", "state", "seed", "stateful", "honeypot")}, **message}
        try:
            self.state = self.candidate.op_load(request, [fd])["state"]
        finally:
            os.close(fd)

    def call(self, seed: int = 1) -> dict[str, Any]:
        filled = self.exchange.fill(0, seed=seed)
        return self.candidate.op_call({"inputs": filled["inputs"][0], "output": filled["outputs"][0]}, [])["outputs"]

    def check(self, seed: int = 1) -> str:
        outputs = self.call(seed)
        return self.exchange.check_tree(outputs)["difference"]["kind"]

    def batch(self, count: int = 2) -> list[str]:
        filled = self.exchange.reference.op_fill({"sets": [{"slot": i, "kind": "fresh", "seed": i} for i in range(count)], "poison": 1}, [])
        reply = self.candidate.op_batch({"calls": [{"inputs": i, "output": o} for i, o in zip(filled["inputs"], filled["outputs"])]}, [])
        return [self.exchange.check_tree(tree, i)["difference"]["kind"] for i, tree in enumerate(reply["outputs"])]


def model(forward: str, init: str = "pass") -> str:
    return "import torch\nfrom torch import nn\nclass ModelNew(nn.Module):\n    def __init__(self):\n        super().__init__()\n        %s\n    def forward(self, x):\n        %s\n" % (init, forward)


def test_a_right_submission() -> None:
    pair = Pair(DOUBLE, model("return x + x"), pattern=7)
    assert pair.state == "none" and pair.candidate.probe.patterns == [7]
    assert [pair.check(s) for s in (1, 2)] == ["", ""] and pair.batch() == ["", ""]
    filled = pair.exchange.fill(0, seed=5)
    message = {"inputs": filled["inputs"][0], "output": filled["outputs"][0]}
    observed = pair.candidate.op_observe(message, [])
    assert pair.exchange.check_tree(observed["outputs"])["difference"]["kind"] == "" and "own_work" in observed
    pair.exchange.reference.op_refill({"slots": [0], "poison": 3}, [])
    assert pair.exchange.check_tree(pair.candidate.op_recopy(message, [])["outputs"])["difference"]["kind"] == ""
    assert pair.candidate.op_settle({}, [])["changed"] == {"clock": [], "harness": []} and pair.candidate.probe.patterns == [7, 0]
    assert pair.candidate.op_inspect({}, [])["threads"] >= 1
    assert all("  %s " % name in module.__doc__ for name in pair.candidate.operations())


@pytest.mark.parametrize("submission, kind, said", [
    ("ModelNew = (", "format", "SyntaxError"), ("x = 1", "format", "does not define ModelNew"), ("ModelNew = 3", "format", "does not define ModelNew"), ("1 / 0", "load", "ZeroDivisionError"),
    ("import nowhere_at_all", "load", "ModuleNotFoundError"), ("raise SystemExit(1)", "crash", "SystemExit"), ("raise MemoryError", "oom", "MemoryError"), ("raise RuntimeError('std::bad_alloc')", "oom", "bad_alloc"),
    ("class CompileError(Exception): pass\nraise CompileError('k.cpp:1')", "compile", "k.cpp:1"), (model("return x", "1 / 0"), "load", "ZeroDivisionError"), ("def ModelNew(): return 3", "load", "cannot be called"),
    (model("return x", "raise KeyboardInterrupt"), "load", "KeyboardInterrupt"), (model("return x") + "    def state_dict(self): return 3\n", "none", ""),
    ("class ModelNew:\n  def __init__(self, n): pass", "load", "TypeError"), ("class Rude(Exception):\n  def __str__(self): raise SystemExit\nraise Rude", "load", "Rude")], ids=lambda v: str(v)[-30:])
def test_failures_of_loading(submission: str, kind: str, said: str) -> None:
    if kind == "none":  # No weights to take over: its state is not asked for.
        assert Pair(DOUBLE, submission).state == "none"
        return
    with pytest.raises(Failure) as failure:
        Pair(DOUBLE, submission)
    assert failure.value.kind == kind and said in failure.value.message


def test_a_state_that_cannot_be_read_is_a_failure_of_loading() -> None:
    for body in ("return 3", "raise SystemExit", "return {'a.weight': 3}"):
        try:
            assert Pair(LAYERS, model("return x") + "    def state_dict(self): %s\n" % body).state == "seeded"
        except Failure as failure:
            assert failure.kind in ("load", "crash")


@pytest.mark.parametrize("forward, kind", [
    ("return x @ x", "runtime"), ("raise SystemExit", "crash"), ("raise MemoryError", "oom"), ("raise KeyboardInterrupt", "runtime"), ("return torch.empty(1 << 60)", "oom"),
    ("return object()", "shape"), ("return {1: x}", "shape"), ("return x.to_sparse()", "shape"), ("return x.to('meta')", "shape"), ("return lambda: x", "shape"), ("return torch.zeros(64, 64)", "shape"),
    ("return 1 << 99999", "shape"), ("a = []; a.append(a); return a", "shape"), ("t = x * 2; t.later = 1; return t", "lazy"), ("return (x * 2).as_subclass(type('T', (torch.Tensor,), {}))", "lazy"),
    ("return type('L', (list,), {})([x])", "lazy"), ("return [[x * 2], type('D', (dict,), {})()]", "lazy"), ("return type('F', (float,), {})(2.0)", "shape")])
def test_failures_of_calls(forward: str, kind: str) -> None:
    pair = Pair(DOUBLE, model(forward))
    for attempt in (pair.call, pair.batch):
        with pytest.raises(Failure) as failure:
            attempt()
        assert failure.value.kind == kind and len(failure.value.message) < 3000


@pytest.mark.parametrize("forward, kind", [("return x", "numerical"), ("return (x * 2)[:1]", "shape"), ("return (x * 2).double()", "dtype"), ("return [x * 2]", "shape"), ("return None", "shape"), ("return x / 0", "nan"),
                                           ("return (x.t() * 2).t()", ""), ("return torch.cat([x, x], 1)[:, :64] * 2", ""), ("return nn.Parameter(x * 2)", ""), ("return (x * 2).requires_grad_()", "")])
def test_answers(forward: str, kind: str) -> None:
    pair = Pair(DOUBLE, model(forward))
    assert pair.check() == kind and pair.batch() == [kind, kind]


FORWARD = "return %s(torch.relu(%s(x)))"


@pytest.mark.parametrize("init, forward, state, right", [
    ("self.a, self.b = nn.Linear(64, 32), nn.Linear(32, 32)", FORWARD % ("self.b", "self.a"), "by-name", True),
    ("self.b, self.a = nn.Linear(32, 32), nn.Linear(64, 32)", FORWARD % ("self.b", "self.a"), "by-name", True),  # Another order, so other random numbers.
    ("self.p, self.q = nn.Linear(64, 32), nn.Linear(32, 32)", FORWARD % ("self.q", "self.p"), "by-order", True),
    ("self.p, self.b = nn.Linear(64, 32), nn.Linear(32, 32)", FORWARD % ("self.b", "self.p"), "by-order", True),
    ("self.b, self.p = nn.Linear(32, 32), nn.Linear(64, 32)", FORWARD % ("self.b", "self.p"), "by-order", True),
    ("self.a, self.b, self.c = nn.Linear(64, 32), nn.Linear(32, 32), nn.Linear(2, 2)", FORWARD % ("self.b", "self.a"), "by-name-in-part", True),
    ("self.a = nn.Linear(64, 32); self.w = nn.Parameter(torch.zeros(32 * 32 + 32))", "return self.a(x)", "by-name-in-part", False),
    ("torch.rand(7); self.w = nn.Parameter(torch.zeros(9, 9))", "return x[:, :32] * 1.0", "seeded", False),
    ("self.net = nn.ModuleDict({'a': nn.Linear(64, 32), 'b': nn.Linear(32, 32)})", "return self.net['b'](torch.relu(self.net['a'](x)))", "by-order", True),
    ("self.register_buffer('unused', torch.zeros(3))", "return x[:, :32] * 1.0", "seeded", False)])
def test_weights(init: str, forward: str, state: str, right: bool) -> None:
    pair = Pair(LAYERS, model(forward, init))
    assert pair.state == state and (pair.check() == "") is right


def test_the_seed_gives_the_same_numbers_where_nothing_can_be_taken_over() -> None:
    flat = "class ModelNew:\n  def __init__(self): self.a, self.b = torch.nn.Linear(64, 32), torch.nn.Linear(32, 32)\n  def __call__(self, x): return self.b(torch.relu(self.a(x)))\n"
    pair = Pair(LAYERS, "import torch\n" + flat)
    assert pair.state == "none" and pair.check() == ""


def test_weights_are_taken_in_the_submissions_own_dtype() -> None:
    pair = Pair(LAYERS, model("return self.b(torch.relu(self.a(x.double()))).float()", "self.a, self.b = nn.Linear(64, 32).double(), nn.Linear(32, 32).double()"))
    assert pair.state == "by-name" and pair.check() == ""


@pytest.mark.parametrize("problem, submission", [
    (NORM, model("return self.bn(x)", "self.bn = nn.BatchNorm1d(64)")), (NORM, model("return self.n(x)", "self.n = nn.BatchNorm1d(64)")),
    (problem_source("self.n += 1\n        return x * self.n", init="self.register_buffer('n', torch.zeros(()))"), model("self.n.add_(1); return x * self.n", "self.register_buffer('n', torch.zeros(()))"))], ids=["by-name", "by-order", "counter"])
def test_state_is_restored_before_each_call(problem: str, submission: str) -> None:
    pair = Pair(problem, submission)
    assert pair.exchange.begun["stateful"] and [pair.check(s) for s in (1, 2, 3)] == [""] * 3 and pair.batch() == ["", ""]
    started = {k: v.clone() for k, v in pair.candidate.model.state_dict().items()}
    pair.candidate._take_state()
    assert not equal_bits(started, dict(pair.candidate.model.state_dict()))  # It had moved, and is back.
    assert equal_bits(list(pair.candidate.model.state_dict().values()), list(pair.exchange.reference.problem.state.values()))


def test_a_buffer_kept_between_calls_is_fine() -> None:
    pair = Pair(DOUBLE, model("torch.mul(x, 2, out=self.out); return self.out", "self.out = torch.empty(8, 64)"))
    assert [pair.check(s) for s in (1, 2)] == ["", ""] and pair.batch() == ["", ""]


def test_outputs_never_leave_their_area() -> None:
    pair = Pair(DOUBLE, model("return [torch.zeros(8, 64)] * 3"))
    evaluation = pair.exchange.reference.evaluation
    pair.exchange.fill(1, seed=3)
    beside = evaluation.arena.bytes[evaluation.slots[1].inputs_at:].clone()
    with pytest.raises(Failure, match="too big"):
        pair.call()
    assert torch.equal(evaluation.arena.bytes[evaluation.slots[1].inputs_at:], beside)


def test_init_inputs_are_copies() -> None:
    problem = DOUBLE.replace("def __init__(self)", "def __init__(self, w)").replace("return []", "return [torch.ones(3)]")
    pair = Pair(problem, "import torch\nclass ModelNew:\n  def __init__(self, w): w.zero_(); self.w = w\n  def __call__(self, x): return x * 2")
    assert pair.check() == "" and torch.equal(pair.exchange.reference.evaluation.arena.read(pair.exchange.begun["init"])[0], torch.ones(3))
