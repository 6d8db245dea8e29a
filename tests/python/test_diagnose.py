"""Facts about wrong answers: each on answers planted to have it, none on honest small errors."""
from __future__ import annotations

from typing import Any, Callable

import pytest
import torch

from stand_ins import PATTERN, POISON, Exchange, problem_source
from kgym_runner import diagnose
from kgym_runner.tolerance import Tolerance

FACTS = {"constant": False, "copy_of_input": None, "unwritten_share": 0.0, "honeypot": False, "answer_of_call": None, "precision": None}
MATMUL = problem_source("return x @ self.w", "[torch.randn(32, 64)]", "self.w = nn.Parameter(torch.randn(64, 48))")
SQUARE = problem_source("return x * x + 1", "[torch.randn(32, 64)]")


def facts_of(exchange: Exchange, outputs: Any, slot: int = 0) -> dict[str, Any]:
    reply = exchange.answer(outputs, slot)
    assert reply["difference"]["kind"] in ("numerical", "nan"), reply["difference"]
    return reply["facts"]


def stands_out(facts: dict[str, Any]) -> dict[str, Any]:
    """The facts that say something, as the judge picks them out."""
    return {k: v for k, v in facts.items() if v != FACTS[k]}


@pytest.fixture
def square() -> Exchange:
    exchange = Exchange(SQUARE)
    exchange.fill()
    return exchange


HONEST: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "wrong by a factor": lambda x, e: e * 1.001, "an offset": lambda x, e: e + 1e-3, "noise": lambda x, e: e + 1e-4 * torch.randn(e.shape), "gross noise": lambda x, e: torch.randn(e.shape),
    "the wrong sign": lambda x, e: -e, "one element": lambda x, e: e.index_fill(1, torch.tensor([3]), 0.0), "the last row left out": lambda x, e: torch.cat([e[:-1], torch.zeros(1, 64)]),
    "transposed blocks": lambda x, e: e.flip(1), "without the constant": lambda x, e: x * x, "a NaN": lambda x, e: torch.where(e > 3, torch.nan, e), "shifted by one": lambda x, e: e.roll(1)}


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_mistake_has_no_facts(square: Exchange, name: str) -> None:
    for seed in range(1, 4):
        square.fill(seed=seed)
        square.fill(1, seed=seed + 50)
        square.expected(1)
        assert stands_out(facts_of(square, HONEST[name](square.inputs()[0], square.expected()))) == {}


def test_constant(square: Exchange) -> None:
    for value in (0.0, 1.0, 2.5):
        assert stands_out(facts_of(square, torch.full((32, 64), value))) == {"constant": True}
    same = Exchange(problem_source("return torch.ones(8) + 0 * x[0, 0]"))
    same.fill()
    assert stands_out(facts_of(same, torch.zeros(8))) == {}  # The right answer is a constant too.


def test_copy_of_input() -> None:
    exchange = Exchange(problem_source("return x[1] * 2 + x[0]", "[[torch.randn(4, 4), torch.randn(4, 4)]]"))
    exchange.fill()
    for i in (0, 1):
        assert stands_out(facts_of(exchange, exchange.inputs()[0][i].t().t())) == {"copy_of_input": i}


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "int64", "int32", "int8", "uint8", "complex64"])
@pytest.mark.parametrize("byte", [PATTERN, PATTERN ^ 0xFF])
def test_unwritten(dtype: str, byte: int) -> None:
    torch.manual_seed(3)
    kind = getattr(torch, dtype)
    written = torch.randint(0, 200, (64, 64)).to(kind) if not kind.is_complex else torch.randn(64, 64, dtype=kind)
    rows = torch.full((64 * 64 * written.element_size(),), byte, dtype=torch.uint8).view(kind).view(64, 64)
    half = torch.cat([written[:32], rows[32:]])
    assert diagnose.unwritten(half, PATTERN) == pytest.approx(0.5, abs=0.01)
    assert diagnose.unwritten(written, PATTERN) < 0.005 and diagnose.unwritten([half, written], PATTERN) == pytest.approx(0.25, abs=0.01)


def test_bytes_at_random_are_not_unwritten() -> None:
    torch.manual_seed(4)
    for shape in ((3,), (100,), (1000, 100)):
        assert diagnose.unwritten(torch.randint(0, 256, shape, dtype=torch.uint8), PATTERN) < 0.001
    assert diagnose.unwritten([torch.empty(0), 3, None], PATTERN) == 0.0 == diagnose.unwritten([], PATTERN)


def test_unwritten_in_a_check(square: Exchange) -> None:
    outputs = square.expected().clone()
    outputs[16:].view(torch.uint8).fill_(PATTERN)
    assert stands_out(facts_of(square, outputs)) == {"unwritten_share": 0.5}


def test_bait_and_answers_of_other_calls(square: Exchange) -> None:
    bait = square.reference.evaluation.arena.read(square.begun["honeypot"])
    assert stands_out(facts_of(square, bait)) == {"honeypot": True}
    first = square.expected().clone()
    square.fill(0, "near", 7, **{"from": 0})
    assert stands_out(facts_of(square, first)) == {"answer_of_call": 0}
    square.fill(1, seed=9)
    other = square.inputs(1)[0] ** 2 + 1
    assert stands_out(facts_of(square, other, 0)) == {"answer_of_call": 2}  # Though nobody had asked for it yet.


def test_an_answer_of_before_is_known_though_nobody_asked_for_it_in_time(square: Exchange) -> None:
    """Whichever slot it was in: its inputs are made again from the seed of their fill."""
    def fill(seed: int) -> None:
        square.reference.op_fill({"sets": [{"slot": 1, "kind": "fresh", "seed": seed}, {"slot": 0, "kind": "fresh"}], "poison": POISON}, [])
    fill(21)
    slots = square.reference.evaluation.slots[:2]
    stale = {slot.number: square.reference.problem.answer(square.inputs(i)) for i, slot in enumerate(slots)}  # Of its own slot, and of its neighbour.
    for seed in (22, 23):
        fill(seed)
    for number, answer in stale.items():
        assert stands_out(facts_of(square, answer)) == {"answer_of_call": number}


def test_a_small_error_is_no_theft_though_all_answers_are_alike() -> None:
    """The answers of all calls, and the bait, differ by less than what is allowed twice: a wrong answer may be near an earlier one by chance."""
    expected, other = torch.tensor([1.0]), torch.tensor([1.0 + 1e-5])
    allowed = [Tolerance(1.5e-5, 0.0)]
    got = torch.tensor([1.0 + 2e-5])
    assert diagnose.earlier(got, expected, [(3, other)], allowed) is None and not diagnose.is_other(got, other, expected, allowed)
    assert diagnose.earlier(got, expected, [(3, other), (4, torch.tensor([1.0 + 3e-5]))], allowed) == 4


LOW = {"float16": lambda t: t.half().float(), "bfloat16": lambda t: t.bfloat16().float(), "tf32": lambda t: ((t.contiguous().view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32)}


@pytest.mark.parametrize("how", LOW)
@pytest.mark.parametrize("where", ["operands", "outputs", "both"])
def test_precision(how: str, where: str) -> None:
    low = LOW[how]
    for seed in range(1, 4):
        exchange = Exchange(MATMUL)
        exchange.fill(seed=seed)
        x, w = exchange.inputs()[0], exchange.reference.problem.state["w"]
        got = low(x) @ low(w) if where != "outputs" else exchange.expected()
        found = facts_of(exchange, low(got) if where != "operands" else got)["precision"]
        assert found == how or (how == "float16" and found == "tf32") or (how == "tf32" and found == "float16")  # As many bits; they differ in range.


@pytest.mark.parametrize("how", LOW)
def test_precision_of_products_on_the_way(how: str) -> None:
    """Only what the kernel multiplies is rounded, after a normalization in full precision."""
    exchange = Exchange(problem_source("return torch.nn.functional.linear(x / x.norm(dim=1, keepdim=True), self.w)", "[torch.randn(32, 64)]", "self.w = nn.Parameter(torch.randn(48, 64))"))
    exchange.fill()
    x, w, low = exchange.inputs()[0], exchange.reference.problem.state["w"], LOW[how]
    found = facts_of(exchange, low(x / x.norm(dim=1, keepdim=True)) @ low(w).t())["precision"]
    assert (found == "bfloat16") == (how == "bfloat16") and found is not None


@pytest.mark.parametrize("source", [problem_source("return (x * x).mean()"), problem_source("return x.sum(dim=1)", "[torch.randn(8, 64)]")])
def test_precision_says_nothing_of_a_few_numbers(source: str) -> None:
    exchange = Exchange(source)
    for seed in range(1, 30):
        exchange.fill(seed=seed)
        assert facts_of(exchange, exchange.expected() * (1 + 5e-4))["precision"] is None


def test_precision_copes_with_code_that_refuses_low_precision() -> None:
    exchange = Exchange(problem_source("assert x.half().float().ne(x).any()\n        return x * 2"))
    exchange.fill()
    assert "precision" in facts_of(exchange, exchange.expected() * 1.001 + 1e-4)


def test_wrong_shapes_and_dtypes_are_not_looked_into(square: Exchange) -> None:
    for outputs in (torch.zeros(3), square.expected().double(), [square.expected()]):
        reply = square.answer(outputs)
        assert reply["difference"]["kind"] in ("shape", "dtype") and reply["facts"] == {}
