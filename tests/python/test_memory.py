"""How much memory a reference host takes for problems whose tensors are dear, and that judging them piece by piece says the same as judging them whole."""
from __future__ import annotations

import itertools
import json
import math
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from stand_ins import ROOT, SUITE, Exchange, problem_source
from kgym_runner import diagnose, opened_problem, pieces
from kgym_runner.compare import bits_differ, compare, equal_bits
from kgym_runner.tolerance import Tolerance, in_float64, rms, tolerances
from kgym_runner.tree import leaves, rebuild

NAN, INF = math.nan, math.inf
FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e5m2, torch.complex64, torch.complex128]
WHOLE = [torch.int64, torch.int32, torch.int8, torch.uint8, torch.bool, torch.uint16]

# What the reference host and the arena may come to hold, in units of the inputs and outputs of one call. Both hosts together may take 5.4: a candidate
# holds an output meanwhile.
MOST = 4.8


@pytest.fixture(params=[7, 64, 1000])
def cut(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every tensor counts as large and is cut."""
    monkeypatch.setattr(pieces, "BIG", 0)
    monkeypatch.setattr(pieces, "PIECE", request.param)


def dear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened_problem, "DEAR", -1)
    monkeypatch.setattr(pieces, "BIG", 0)
    monkeypatch.setattr(pieces, "PIECE", 100)


@pytest.mark.parametrize("shape", [(), (1,), (5,), (64,), (65,), (3, 500), (500, 3), (1, 1, 300), (7, 11, 13), (2, 1001)], ids=str)
def test_pieces_are_the_elements_in_order(cut: None, shape: tuple[int, ...]) -> None:
    t = torch.arange(math.prod(shape)).reshape(shape)
    for tensor in (t, t.mT if t.dim() > 1 else t, t.expand(2, *shape)):
        at = 0
        for start, (a, b) in pieces.pieces(tensor, tensor + 1):
            assert start == at and a.dim() == 1 and a.numel() <= pieces.PIECE and torch.equal(a, tensor.reshape(-1)[at:at + a.numel()]) and torch.equal(a + 1, b)
            at += a.numel()
        assert at == tensor.numel()


def values_of(dtype: torch.dtype, shape: tuple[int, ...]) -> torch.Tensor:
    if dtype in WHOLE:
        return torch.randint(0, 2 if dtype is torch.bool else 100, shape).to(dtype)
    return torch.randn(shape, dtype=dtype if dtype.is_complex else torch.float32).to(dtype)


def planted(expected: torch.Tensor, how: str) -> tuple[torch.Tensor, torch.Tensor]:
    """An answer with errors of a kind, and the reference's with what is needed for it."""
    got, expected = expected.clone(), expected.clone()
    wide = got.to(torch.float64 if not got.is_complex() else torch.complex128)
    places = sorted(random.sample(range(got.numel()), 9))
    for place in places:
        wide.view(-1)[place] += {"few": 3, "small": 1e-7, "inf": INF, "nan": NAN}.get(how, 0)
    if how == "all":
        wide = wide + 1
    got = wide.to(got.dtype) if how != "none" else got
    if how.startswith("masked"):
        for tensor, place in itertools.product((got, expected), places[1:]):
            tensor.view(-1)[place] = {"masked": INF, "masked, few": NAN}[how] if tensor.dtype in FLOATS else 0
    if how == "masked, few":
        got.view(-1)[places[0]] = 100
    return got, expected


@pytest.mark.parametrize("dtype", FLOATS + WHOLE, ids=str)
@pytest.mark.parametrize("how", ["none", "few", "small", "all", "inf", "nan", "masked", "masked, few"])
def test_pieces_say_the_same_as_the_whole(monkeypatch: pytest.MonkeyPatch, dtype: torch.dtype, how: str) -> None:
    if how in ("inf", "nan") and dtype in WHOLE:
        pytest.skip("no such number")
    random.seed(str((dtype, how)))
    torch.manual_seed(3)
    for shape, turned in itertools.product([(997,), (31, 37), (3, 5, 77)], (False, True)):
        got, expected = planted(values_of(dtype, shape), how)
        if turned and len(shape) > 1:
            got, expected = got.transpose(0, 1), expected.transpose(0, 1).contiguous()
        allowed = [None if dtype in WHOLE else Tolerance(1e-3, 1e-4)]
        whole, bits = compare(got, expected, allowed), (equal_bits(got, expected), bits_differ([(got, expected)]), rms(expected) if dtype in FLOATS else 0)
        with monkeypatch.context() as m:
            m.setattr(pieces, "BIG", 0)
            m.setattr(pieces, "PIECE", random.choice([7, 50, 400]))
            by_pieces = compare(got, expected, allowed)
            assert bits[:2] == (equal_bits(got, expected), bits_differ([(got, expected)])) and bits[2] == pytest.approx(rms(expected) if dtype in FLOATS else 0)
        assert (by_pieces.kind, by_pieces.output, by_pieces.stats.get("first")) == (whole.kind, 0, whole.stats.get("first")) and by_pieces.message == whole.message
        assert {k: v for k, v in by_pieces.stats.items() if k != "first"} == pytest.approx({k: v for k, v in whole.stats.items() if k != "first"}, rel=1e-9, nan_ok=True)


@pytest.mark.parametrize("got, expected", [([3e38] * 40, [-3e38] * 40), ([0.0] * 40, [1e-40] * 40), ([0.0] * 40, [0.0] * 40), ([1e-30] * 40, [3e-30] * 40), ([NAN] * 40, [NAN] * 40),
                                           ([1.0] * 39 + [3e38], [1.0] * 39 + [-3e38])], ids=lambda v: str(v[-1]))
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_extremes_by_pieces(monkeypatch: pytest.MonkeyPatch, dtype: torch.dtype, got: list[float], expected: list[float]) -> None:
    g, e = torch.tensor(got, dtype=dtype), torch.tensor(expected, dtype=dtype)
    whole = compare(g, e, [Tolerance(1e-5, 1e-6)])
    monkeypatch.setattr(pieces, "BIG", 0)
    monkeypatch.setattr(pieces, "PIECE", 7)
    by_pieces = compare(g, e, [Tolerance(1e-5, 1e-6)])
    assert (by_pieces.kind, by_pieces.message) == (whole.kind, whole.message) and by_pieces.stats.keys() == whole.stats.keys()
    for key in by_pieces.stats.keys() - {"first"}:
        assert by_pieces.stats[key] == pytest.approx(whole.stats[key], rel=1e-9, nan_ok=True)


def test_a_piece_is_copied_before_it_is_looked_at(cut: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that changes while it is compared gives one story: what was in each piece when it was copied."""
    expected = torch.randn(2000)
    got = expected.clone()
    got[1500] = 7.0
    copies = []
    real = torch.Tensor.to
    def to(tensor: torch.Tensor, *args: Any, **more: Any) -> torch.Tensor:
        if more.get("copy"):
            copies.append(tensor.numel())
        return real(tensor, *args, **more)
    monkeypatch.setattr(torch.Tensor, "to", to)
    assert compare(got, expected, [Tolerance(1e-5, 1e-6)]).kind == "numerical" and sum(copies) == 2000


def test_tolerances_by_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(1)
    model, x = torch.nn.Sequential(torch.nn.Linear(64, 48), torch.nn.Softmax(dim=1)), torch.randn(32, 64)
    def found() -> list[Tolerance | None]:
        with torch.no_grad():
            return tolerances(model(x), in_float64(model, [x]), 64, {}, model(x.half().float()))
    whole = found()
    monkeypatch.setattr(pieces, "BIG", 0)
    monkeypatch.setattr(pieces, "PIECE", 50)
    assert [(t.rtol, pytest.approx(t.atol_rms, rel=1e-9)) for t in whole] == [(t.rtol, t.atol_rms) for t in found()]


def asked(exchange: Exchange, wrong: bool) -> list[dict[str, Any]]:
    """What checks say of the reference's own answers to every kind of set, and of wrong ones."""
    replies = []
    for kind, slot, source in (("fresh", 0, None), ("near", 0, 0), ("fresh", 1, None), ("nudged", 1, 1), ("spiked", 0, None), ("same", 1, 0)):
        exchange.fill(slot, kind, 7 + len(replies), **({} if source is None else {"from": source}))
        outputs = exchange.reference.problem.forward(exchange.inputs(slot))
        if wrong:
            exchange.reference.op_refill({"slots": [slot], "poison": 3}, [])
            outputs = rebuild(outputs, lambda t: t * 1.01 if t.is_floating_point() and t.element_size() > 1 else ~t if t.dtype is torch.bool else t)
        reply = exchange.answer(outputs, slot)
        reply.pop("code_ns")
        replies.append(reply)
    return replies


@pytest.mark.parametrize("wrong", [False, True])
@pytest.mark.parametrize("path", [pytest.param(p, id=p.stem) for p in SUITE[::5]])
def test_dear_problems_are_judged_as_others_are(monkeypatch: pytest.MonkeyPatch, path: Path, wrong: bool) -> None:
    usual = Exchange(path.read_text(), slots=2)
    expected = asked(usual, wrong)
    monkeypatch.setattr(opened_problem, "DEAR", -1)
    monkeypatch.setattr(pieces, "BIG", 4096)
    monkeypatch.setattr(pieces, "PIECE", 3000)
    exchange = Exchange(path.read_text(), slots=2)
    assert exchange.description["dear"] and exchange.description["made_again"] and not usual.description["dear"]
    alike = [k for k in usual.description if not k.endswith("_ns") and k not in ("dear", "made_again")]
    assert [exchange.description[k] for k in alike] == [usual.description[k] for k in alike]
    for found, known in zip(asked(exchange, wrong), expected):
        for key in ("max_abs", "max_rel", "rms_rel", "share_out"):
            assert found["difference"].pop(key, 0) == pytest.approx(known["difference"].pop(key, 0), rel=1e-6, nan_ok=True)
        assert json.dumps(found) == json.dumps(known)


def test_inputs_that_cannot_be_made_again_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    dear(monkeypatch)
    for inputs, again in (("[torch.randn(8, 64)]", True), ("[torch.from_numpy(__import__('numpy').random.default_rng().random((8, 64)))]", False),
                          ("[KEPT.mul_(0).add_(torch.randn(8, 64))]", False)):
        exchange = Exchange(problem_source("return x * 2", inputs, tail="KEPT = torch.zeros(8, 64)"))
        assert exchange.reference.problem.made_again is again
        for slot, kind in ((0, "fresh"), (1, "fresh"), (0, "spiked")):
            exchange.fill(slot, kind, 5)
            inputs_there = [t.clone() for t in exchange.inputs(slot)]
            assert equal_bits(exchange.reference.evaluation.slots[slot].masters, inputs_there)
        reply = exchange.answer(exchange.inputs(0)[0] * 2, 0)
        assert reply["difference"]["kind"] == "" and reply["changed_inputs"] == []


def test_changed_inputs_show_where_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    dear(monkeypatch)
    for forward, honest in (("return x * 2", lambda x: x * 2), ("x.mul_(2); return x + 1", lambda x: x.mul_(2) + 1)):
        exchange = Exchange(problem_source(forward))
        exchange.fill()
        assert exchange.answer(honest(exchange.inputs()[0]))["changed_inputs"] == []
        exchange.fill(seed=2)
        outputs = honest(exchange.inputs()[0])
        exchange.inputs()[0][3, 5] += 1
        reply = exchange.answer(outputs)
        assert reply["changed_inputs"] == [0] and reply["difference"]["kind"] == ""


def test_answers_that_are_no_memory_of_their_own_are_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """An input, a view of one, a buffer that the next call writes, a part of something larger."""
    dear(monkeypatch)
    for forward in ("return x", "return x[2:]", "self.b.copy_(x); return self.b", "self.kept[0].copy_(x); return self.kept[0]", "return (x * 2)[:4]", "return x.expand(2, 8, 64)"):
        problem = Exchange(problem_source(forward, init="self.register_buffer('b', torch.zeros(8, 64)); self.kept = [torch.zeros(8, 64)]")).reference.problem
        values = problem.example()
        first = problem.expected(values)
        known = first.clone()
        for value in values:
            value.zero_()
        problem.expected([torch.randn(8, 64)])
        assert torch.equal(first, known)
    assert not diagnose.constant(known, known)


BIG_PROBLEMS = {"elementwise": (1144, "x", "torch.relu(x)"), "reduction": (2288, "x", "x.sum(dim=1)"), "two inputs": (1144, "x, y", "x * y")}  # 300 MB a tensor, or 600.
SOURCE = """
import torch
from torch import nn
ROWS, COLUMNS = {rows}, 1 << 16
class Model(nn.Module):
    def forward(self, {names}):
        return {forward}
def get_inputs():
    return [{inputs}]
def get_init_inputs():
    return []
"""


@pytest.mark.parametrize("which", BIG_PROBLEMS)
def test_what_a_dear_problem_takes(which: str) -> None:
    rows, names, forward = BIG_PROBLEMS[which]
    source = SOURCE.format(rows=rows, names=names, forward=forward, inputs=", ".join("torch.rand(ROWS, COLUMNS)" for _ in names.split(",")))
    wrong = which == "elementwise"  # Looking into a wrong answer takes long.
    child = subprocess.run([sys.executable, str(Path(__file__).with_name("memory_of_reference.py")), "wrong" if wrong else "right"], input=source, capture_output=True, text=True, cwd=ROOT, check=False)
    assert child.returncode == 0, child.stderr
    seen = json.loads(child.stdout)
    assert all(held < MOST for held in seen["held"].values()), seen
    assert seen["kinds"] == ["", "", *(["numerical"] if wrong else []), ""], seen
