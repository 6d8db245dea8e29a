"""The reference host: what it refuses as a problem, the exchange through an arena, and that nothing a candidate says can hurt it."""
from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
import torch

from stand_ins import POISON, SUITE, Exchange, Probe, file_of, problem_source
from kgym_runner.compare import equal_bits
from kgym_runner.reference import Reference
from kgym_runner.tree import encode, leaves, rebuild
from kgym_runner.wire import Failure
from test_tree import garbage

DOUBLE = problem_source("return x * 2")
COUNTING = problem_source("self.n += 1\n        return x * self.n", init="self.register_buffer('n', torch.zeros(()))")
NORM = problem_source("return self.bn(x)", init="self.bn = nn.BatchNorm1d(64)")


def refused(source: str | bytes, **message: Any) -> str:
    fd = file_of(source if isinstance(source, bytes) else source.encode())
    with pytest.raises(Failure) as failure:
        Reference(Probe()).op_open({"name": "test.py", "workload": "cpu", "seed": 42, **message}, [fd])
    os.close(fd)
    assert failure.value.kind == "problem"
    return failure.value.message


@pytest.mark.parametrize("error", [RuntimeError("CUDA error: out of memory"), MemoryError(), KeyError("slots"), AssertionError("no")])
def test_what_fails_in_the_host_itself_is_told_and_is_nobody_elses_fault(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    reference = Reference(Probe())
    def failing(message: dict[str, Any], fds: list[int]) -> None:
        raise error
    for name in reference.operations():
        monkeypatch.setattr(reference, "op_" + name, failing)
    for operation in reference.operations().values():
        with pytest.raises(Failure) as failure:
            operation({}, [])
        assert failure.value.kind == "host" and type(error).__name__ in failure.value.message


@pytest.mark.parametrize("path", [pytest.param(p, id=p.stem) for p in SUITE])
def test_the_suite_answers_itself(path: Path) -> None:
    """Its own answer is right for every kind of set, and the description says what the judge lays out by."""
    exchange = Exchange(path.read_text())
    json.dumps(exchange.description)
    exchange.fill(0, seed=1)
    for kind, slot, more in (("fresh", 0, {}), ("near", 0, {"from": 0}), ("spiked", 1, {}), ("same", 0, {"from": 1})):
        exchange.fill(slot, kind, 7, **more)
        inputs = exchange.inputs(slot)
        outputs = exchange.reference.problem.forward(inputs)
        reply = exchange.answer(outputs, slot)
        assert reply["difference"]["kind"] == "" and reply["changed_inputs"] == [] and not reply["strides_differ"]
        assert reply["repeat_of"] is (True if kind == "same" else None)
    timed = exchange.reference.op_time({"slots": [0, 1]}, [])
    assert len(timed["calls_ns"]) == 2 == len(timed["emits_ns"])
    waited_for = exchange.reference.op_latency({"slots": [0, 1]}, [])
    assert len(waited_for["calls_ns"]) == 2 and min(waited_for["calls_ns"]) > 0


@pytest.mark.parametrize("source, said", [
    (problem_source("return x.bad"), "line 8: Model.forward raised AttributeError"), (problem_source("return x", "{'x': 1}"), "line 9: get_inputs() returned a dict"),
    (problem_source("return x", "None"), "line 9: get_inputs() returned a NoneType"), (problem_source("return x", "[1 / 0]"), "line 10: get_inputs() raised ZeroDivisionError"),
    (problem_source("return x", "[exit(3)]"), "get_inputs() raised"), (problem_source("raise SystemExit(3)"), "line 8: Model.forward raised SystemExit"),
    (problem_source("return x", init="1 / 0"), "line 6: Model(...) raised ZeroDivisionError"), (problem_source("return x + torch.rand(())"), "line 7: it is random"),
    (problem_source("import random; return random.random()"), "it is random"), (problem_source("self.n = getattr(self, 'n', 0) + 1\n        return x * self.n"), "it is random"),
    (problem_source("return {1: x}"), "a key that is a int"), (problem_source("return object()"), "the output is a object"), (problem_source("return x.to_sparse()"), "the output is a"),
    (problem_source("return x", "[{1: torch.ones(2)}]"), "line 9: get_inputs()[0]"), (DOUBLE.replace("return []", "return None"), "get_init_inputs() returned a NoneType"),
    (DOUBLE.replace("return []", "return [torch.float32]"), "get_init_inputs()[0] is a dtype"), (DOUBLE.replace("nn.Module", "object"), "Model(...) is a Model"),
    (problem_source("return x", "[torch.zeros(0, 3)]"), "its output is empty at these sizes"), ("rows = (", "line 1: not Python"), (b"x = 1\ny = '\xff'", "line 2: not UTF-8"), (problem_source("return x", tail="META = {'reduces': 'k'}"), "META['reduces']")], ids=lambda v: str(v)[-30:])
def test_bad_problems(source: str | bytes, said: str) -> None:
    assert said in refused(source)


@pytest.mark.parametrize("source", [
    DOUBLE, COUNTING, NORM, problem_source("self.out = getattr(self, 'out', torch.empty(8, 64)); torch.mul(x, 2, out=self.out); return self.out"), problem_source("x += 1; return x"),
    problem_source("x.zero_(); return None"), problem_source("return [x, (x.t(), {'a': x[:1].expand(8, 64), 'b': x.sum()}), 3, 'text', None, float('nan'), x > 0, x[:0]]"),
    problem_source("return x.conj(), x.mH, x.conj().imag", "[torch.randn(8, 8, dtype=torch.complex64)]"), problem_source("return x.half(), x.bfloat16(), x.to(torch.float8_e4m3fn), x.double(), x.int()"),
    problem_source("return x[0] if isinstance(x, list) else x", "[[torch.randn(4), 3]]"), problem_source("return x", "[torch.randn(8, 8).t()]"), problem_source("return x * 2", "[2.5]"),
    problem_source("return torch.log(x - 1)")], ids=lambda s: s.split("forward(self, x):")[1].split("def ")[0].strip()[:50])
def test_every_kind_of_answer_goes_round(source: str) -> None:
    exchange = Exchange(source)
    for seed in range(1, 4):
        exchange.fill(0, seed=seed)
        reply = exchange.answer(exchange.reference.problem.forward(exchange.inputs()))
        assert (reply["difference"]["kind"], reply["changed_inputs"]) == ("", [])
        json.dumps(reply)


def test_garbage_for_outputs_is_a_shape_and_hurts_nothing() -> None:
    exchange, rng, kinds = Exchange(problem_source("return {'a': x * 2, 'b': (x.sum(), 3)}")), random.Random(2), set()
    exchange.fill()
    true = encode(exchange.expected(), lambda t: 0)
    for i in range(4000):
        tree = garbage(rng)
        if i % 2:  # Garbage within what is true goes further.
            tree = json.loads(json.dumps(true))
            node = rng.choice([tree, tree["v"][0], tree["v"][1], tree["v"][1]["v"][0], tree["v"][1]["v"][1]])
            key = rng.choice(list(node) + ["extra"])
            node[key] = garbage(rng, 1)
            if rng.random() < 0.3:
                node.pop(rng.choice(list(node)))
        try:
            reply = exchange.check_tree(tree)
            assert len(json.dumps(reply)) < 20_000
            kinds.add(reply["difference"]["kind"])
        except Failure as failure:
            assert failure.kind == "shape"
            kinds.add("failure")
    assert {"failure", "shape", "dtype", "numerical"} <= kinds


@pytest.mark.parametrize("tree", [None, [], 3, {}, {"t": "tensor"}, {"t": "tensor", "dtype": "float32", "shape": [8, 64]}, {"t": "list", "v": [{"t": "list", "v": []}] * 50_000}, {"t": "str", "v": "x" * 150_000},
                                  {"t": "tensor", "dtype": "float32", "shape": [1] * 30_000, "strides": [1] * 30_000, "off": 0}, {"t": "dict", "k": ["x" * 90_000], "v": [{"t": "none"}]}], ids=lambda t: str(t)[:40])
def test_large_and_empty_trees(tree: Any) -> None:
    exchange = Exchange(DOUBLE)
    exchange.fill()
    try:
        reply = exchange.check_tree(tree)
        assert reply["difference"]["kind"] in ("shape", "numerical") and len(json.dumps(reply)) < 20_000
    except Failure as failure:
        assert failure.kind == "shape" and len(failure.message) < 3000


def test_offsets_are_not_believed() -> None:
    exchange = Exchange(DOUBLE)
    exchange.fill()
    slot = exchange.reference.evaluation.slots[0]
    tree = encode(exchange.expected(), exchange.reference.evaluation.arena.writer(slot.outputs_at, slot.end))
    for off in (0, -64, slot.inputs_at, 1 << 50, None, "x"):
        assert exchange.check_tree({**tree, "off": off})["difference"]["kind"] == ""


def test_poison_shows_an_output_that_was_only_claimed() -> None:
    exchange = Exchange(DOUBLE)
    _, area = exchange.fill(seed=1), exchange.reference.evaluation.slots[0]
    reach = area.outputs_at + exchange.reference.problem.output_bytes
    assert bool((exchange.reference.evaluation.arena.bytes[area.outputs_at:reach] == POISON).all()) and reach < area.end
    tree = encode(exchange.expected(), lambda t: 0)
    assert exchange.check_tree(tree)["difference"]["kind"] == "numerical"
    assert exchange.answer(exchange.expected())["difference"]["kind"] == ""
    exchange.reference.op_refill({"slots": [0], "poison": POISON}, [])
    assert exchange.check_tree(tree)["difference"]["kind"] == "numerical"


def test_inputs_that_were_changed() -> None:
    exchange = Exchange(problem_source("return x[0] + x[1]", "[(torch.randn(4), torch.randn(4)), torch.arange(4)]").replace("forward(self, x)", "forward(self, x, i)"))
    exchange.fill()
    outputs = exchange.expected()
    exchange.inputs()[0][1].mul_(1)
    assert exchange.answer(outputs)["changed_inputs"] == []
    exchange.inputs()[0][1][3] += 1e-6
    assert exchange.answer(outputs)["changed_inputs"] == [0]
    exchange.inputs()[1][0] = 9
    assert exchange.answer(outputs)["changed_inputs"] == [0, 1]
    exchange.reference.op_refill({"slots": [0], "poison": POISON}, [])
    assert exchange.answer(outputs)["changed_inputs"] == []


def test_in_place_problems_want_the_same_change() -> None:
    exchange = Exchange(problem_source("x.mul_(2); return x.sum(dim=1)"))
    assert exchange.description["changes_inputs"] == [0]
    exchange.fill()
    outputs = exchange.expected()
    assert exchange.answer(outputs)["changed_inputs"] == [0]  # Right outputs, but the input stayed.
    exchange.inputs()[0].mul_(2.0000001)
    assert exchange.answer(outputs)["changed_inputs"] == []


@pytest.mark.parametrize("source", [COUNTING, NORM])
def test_a_stateful_problem_starts_anew_each_time(source: str) -> None:
    exchange = Exchange(source)
    assert exchange.description["stateful"] and exchange.begun["stateful"]
    problem = exchange.reference.problem
    for seed in (1, 1, 2):
        exchange.fill(seed=seed)
        x = exchange.inputs()[0]
        right = x * 1 if source is COUNTING else torch.nn.functional.batch_norm(x, None, None, problem.state["bn.weight"], problem.state["bn.bias"], training=True)
        assert exchange.answer(right)["difference"]["kind"] == ""
        exchange.reference.op_time({"slots": [0]}, [])
    assert equal_bits(dict(problem.restore().state_dict()), problem.state) and not Exchange(DOUBLE).description["stateful"]
    assert all(t["atol_rms"] < 1e-4 for t in exchange.description["tolerances"])  # The float64 evaluation began in the same state.


def test_determinism_is_told_of_repeats() -> None:
    exchange = Exchange(DOUBLE)
    exchange.fill(0, seed=1)
    exchange.answer(exchange.expected())
    exchange.fill(1, "same", 0, **{"from": 0})
    assert equal_bits(exchange.inputs(0), exchange.inputs(1)) and exchange.answer(exchange.expected(1), 1)["repeat_of"] is True
    reply = exchange.answer(exchange.expected(1) * (1 + 2e-7), 1)
    assert reply["repeat_of"] is False and reply["difference"]["kind"] == ""


def test_strides_and_wider_dtypes_are_told_apart() -> None:
    exchange = Exchange(DOUBLE)
    exchange.fill()
    assert exchange.answer(exchange.expected().t().contiguous().t())["strides_differ"]
    assert exchange.answer(exchange.expected().double())["difference"]["kind"] == "dtype"
    with pytest.raises(OverflowError):
        exchange.answer(torch.zeros(8, 640))


def test_what_a_problem_may_say_of_its_tolerance() -> None:
    tail = "META = {'tolerance': {'rtol': 0.5}}"
    assert Exchange(problem_source("return x * 2", tail=tail)).description["tolerances"][0]["rtol"] == 0.5
    assert Exchange(problem_source("return x * 2", tail=tail), tolerance={"rtol": 0.25}).description["tolerances"][0]["rtol"] == 0.25  # The config wins.


def test_inputs_that_outgrow_their_place_are_the_problems_fault() -> None:
    exchange = Exchange(problem_source("return x.sum()", "[torch.randn(length)]", tail="length = 100"))
    exchange.fill()
    exchange.reference.problem.module.length = 9000
    with pytest.raises(Failure, match="more than it did before"):
        exchange.fill()


def test_slots_keep_to_the_memory_that_is_given() -> None:
    reference = Exchange(DOUBLE).reference
    for slots, room, made in ((5, 1 << 30, 5), (1, 1 << 30, 2), (500, 100_000, None), (500, 0, 2)):
        begun, fds = reference.op_begin({"slots": slots, "max_bytes": room, "honeypot_seed": 1}, [])
        assert begun["slots"] == made or (made is None and 2 < begun["slots"] < 500 and begun["length"] <= room)
        places = [(s.inputs_at, s.outputs_at, s.end) for s in reference.evaluation.slots]
        assert all(a % 64 == 0 and a < b < c for a, b, c in places) and all(p[2] <= q[0] for p, q in zip(places, places[1:])) and places[-1][2] <= begun["length"]
        assert os.fstat(fds[0]).st_size == begun["length"]
        with pytest.raises(OSError):
            os.ftruncate(fds[0], begun["length"] * 2)


def test_an_arena_is_kept_wiped_for_the_next_evaluation_of_its_size() -> None:
    reference = Exchange(DOUBLE).reference
    begin = {"slots": 4, "max_bytes": 1 << 30, "honeypot_seed": 1}
    _, first = reference.op_begin(begin, [])
    reference.evaluation.arena.bytes.fill_(7)
    reference.op_end({}, [])
    reference.op_end({}, [])
    assert not reference.kept.arena.bytes.any()
    _, second = reference.op_begin(begin, [])
    assert second == first
    held = len(os.listdir("/proc/self/fd"))
    begun, third = reference.op_begin({**begin, "slots": 5}, [])
    assert os.fstat(third[0]).st_size == begun["length"] and len(os.listdir("/proc/self/fd")) == held


def test_bait_is_no_answer() -> None:
    for forward in ("return x * 2", "return x.sum()", "return x > 0", "return (x * 9).long(), x.to(torch.float8_e5m2)"):
        exchange = Exchange(problem_source(forward))
        exchange.fill()
        bait = exchange.reference.evaluation.arena.read(exchange.begun["honeypot"])
        assert [t.shape for t in leaves(bait)] == [t.shape for t in leaves(exchange.expected())] and exchange.answer(bait)["difference"]["kind"] == "numerical"


def test_operations_are_those_of_the_header() -> None:
    import kgym_runner.reference as module
    assert all("  %s " % name in module.__doc__ for name in Reference(Probe()).operations())
    exchange = Exchange(DOUBLE)
    assert rebuild(exchange.description["outputs"], lambda t: t)["dtype"] == "float32"
