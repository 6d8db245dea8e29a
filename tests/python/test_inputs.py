"""Input sets: what a seed decides, and how spiked and near sets differ from what they come from."""
from __future__ import annotations

import types
from pathlib import Path
from typing import Any, Callable

import pytest
import torch

import stand_ins
from kgym_runner import inputs
from kgym_runner.compare import equal_bits
from kgym_runner.problem import load_problem
from kgym_runner.tree import leaves, rebuild
from kgym_runner.wire import Failure

SUITE = [pytest.param(p, id=p.stem) for p in stand_ins.SUITE]


def problem(get_inputs: Callable[[], Any], **globals_: Any) -> types.ModuleType:
    module = types.ModuleType("problem")
    module.get_inputs = get_inputs
    vars(module).update(globals_)
    return module


def copy(values: Any) -> Any:
    return rebuild(values, lambda t: t.clone())


def changed(a: list[Any], b: list[Any]) -> list[tuple[int, int, int]]:
    """(which tensor, first, last place) for each tensor that differs."""
    rows = []
    for i, (x, y) in enumerate(zip(leaves(a), leaves(b), strict=True)):
        places = (x.reshape(-1) != y.reshape(-1)).nonzero()[:, 0]
        if len(places):
            rows.append((i, int(places[0]), int(places[-1])))
    return rows


def in_one_block(a: list[Any], b: list[Any]) -> bool:
    rows = changed(a, b)
    if len(rows) != 1:
        return False
    which, first, last = rows[0]
    return last - first < max(1, list(leaves(a))[which].numel() // 16)


@pytest.mark.parametrize("path", SUITE)
def test_sets_of_the_suite(path: Path) -> None:
    module = load_problem(path.read_text(), str(path), "cpu")
    one = inputs.fresh(module, 11)
    assert equal_bits(one, inputs.fresh(module, 11)) and not equal_bits(one, inputs.fresh(module, 12))
    before = copy(one)
    near = inputs.near(module, 13, one)
    assert equal_bits(one, before)
    assert in_one_block(one, near) if module.META.get("perturb", True) else equal_bits(near, inputs.fresh(module, 13))
    spiked = inputs.spiked(module, 11)
    if any(t.is_floating_point() for t in leaves(one)) and module.META.get("perturb", True):
        assert in_one_block(one, spiked)
        which, first, last = changed(one, spiked)[0]
        old, new = (list(leaves(s))[which].reshape(-1)[first:last + 1].double() for s in (one, spiked))
        ratio = (new / old)[old.abs() > 1e-3]
        assert ((ratio > 1.98) & (ratio < 4.05)).all() and (ratio.max() - ratio.min()) / ratio.mean() < 0.02
    else:
        assert equal_bits(one, spiked)


def test_all_generators_follow_the_seed() -> None:
    import random

    import numpy
    def draw() -> list[Any]:
        return [torch.rand(3), random.random(), torch.from_numpy(numpy.random.rand(3)), random.randrange(10**9)]
    module = problem(draw)
    for seed in (0, 1, 2**63 - 1):
        a, b, c = inputs.fresh(module, seed), inputs.fresh(module, seed), inputs.fresh(module, seed ^ 5)
        assert a[1] == b[1] and a[3] == b[3] and equal_bits(a, b)
        assert a[1] != c[1] and not torch.equal(a[0], c[0]) and not torch.equal(a[2], c[2])


def test_views_become_plain_tensors() -> None:
    base = torch.randn(4, 6, dtype=torch.complex64)
    got = inputs.fresh(problem(lambda: [base.t(), base.mH, base.conj().imag, base.real[:1].expand(5, 6), (torch.nn.Parameter(torch.ones(2)), {"k": base[::2]})]), 1)
    for t in leaves(got):
        assert t.is_contiguous() and not t.is_conj() and not t.is_neg() and not t.requires_grad
    assert torch.equal(got[1], base.mH)


def test_a_problem_that_returns_the_same_tensors_is_left_alone() -> None:
    """Else each spike would stay in the problem's own tensor, and sets drift away from what the problem says."""
    kept = torch.randn(64)
    before = kept.clone()
    module = problem(lambda: [kept, 3])
    for seed in range(8):
        assert not equal_bits(inputs.spiked(module, seed), [kept])
        inputs.near(module, seed, inputs.spiked(module, seed))
    assert torch.equal(kept, before)


def test_what_may_not_be_changed_is_fresh() -> None:
    module = problem(lambda: [torch.randn(64), torch.randperm(64)], META={"perturb": False})
    one = inputs.fresh(module, 1)
    assert equal_bits(inputs.spiked(module, 1), one) and equal_bits(inputs.near(module, 2, one), inputs.fresh(module, 2))


def test_near_prefers_floating_tensors_and_makes_a_difference_where_it_can() -> None:
    module = problem(lambda: [torch.randperm(64), torch.randn(64), torch.zeros(64), 7])
    one = inputs.fresh(module, 1)
    for seed in range(2, 22):
        assert [row[0] for row in changed(one, inputs.near(module, seed, one))] == [1]
    for draw in (lambda: [torch.randint(0, 9, (64,))], lambda: [torch.rand(64) < 0.5], lambda: [torch.randn(1)], lambda: [torch.randn(())], lambda: [torch.randn(0), torch.randn(3)]):
        module = problem(draw)
        one = inputs.fresh(module, 1)
        assert sum(len(changed(one, inputs.near(module, seed, one))) == 1 for seed in range(2, 12)) >= 9


def test_nudged_moves_a_few_elements_that_no_sample_of_a_stride_finds() -> None:
    module = problem(lambda: [torch.randn(100_000), torch.randn(7), 3])
    one = inputs.fresh(module, 1)
    seen = 0
    for seed in range(2, 22):
        two = inputs.nudged(module, seed, one)
        assert two[1:] == one[1:] and 4 <= int((two[0] != one[0]).sum()) <= 8
        assert bool((two[0] * one[0] >= 0).all()), "a sign is kept: what must be positive stays so"
        seen += not torch.equal(two[0][::1500], one[0][::1500])
    assert seen <= 4
    module.META = {"perturb": False}
    assert not torch.equal(inputs.nudged(module, 3, one)[1], one[1])


@pytest.mark.parametrize("values", [[], [1, "x", None], [torch.zeros(0)], [torch.ones(8).to(torch.float8_e5m2)], [torch.zeros(8)], [torch.ones(4, dtype=torch.complex64)], [[{"a": torch.tensor([0.25, 0.75])}]]], ids=str)
@pytest.mark.parametrize("kind", ["fresh", "spiked", "near", "nudged"])
def test_every_kind_copes_with_odd_inputs(values: list[Any], kind: str) -> None:
    module = problem(lambda: values)
    made = inputs.make(module, kind, 3, inputs.fresh(module, 1))
    assert [t.shape for t in leaves(made)] == [t.shape for t in leaves(values)]


def test_near_without_a_set_before_is_fresh() -> None:
    module = problem(lambda: [torch.rand(5)])
    assert equal_bits(inputs.make(module, "near", 3, None), inputs.fresh(module, 3))
    sizes = iter([4, 9])
    assert inputs.near(problem(lambda: [torch.rand(next(sizes))]), 1, [torch.rand(5)])[0].numel() == 4


def _raises() -> None:
    raise SystemExit(3)


@pytest.mark.parametrize("get_inputs, word", [(lambda: {"x": 1}, "a dict"), (lambda: None, "a NoneType"), (lambda: torch.ones(2), "a Tensor"), (_raises, "SystemExit: 3"), (lambda: 1 / 0, "ZeroDivision"),
                                              (lambda: [torch.ones(2).to_sparse()], "sparse"), (lambda: [{1: 2}], "not a string"), (lambda: [lambda: 0], "a function")])
def test_failures(get_inputs: Any, word: str) -> None:
    with pytest.raises(Failure) as failure:
        inputs.fresh(problem(get_inputs), 1)
    assert failure.value.kind == "problem" and word in failure.value.message and "get_inputs()" in failure.value.message
