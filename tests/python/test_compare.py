"""Comparison: structure, dtype, classes of elements that are not finite, values at the border of what is allowed. Nothing broadcasts."""
from __future__ import annotations

import itertools
import json
import math
from typing import Any

import pytest
import torch

import stand_ins  # noqa: F401
from kgym_runner.compare import Difference, compare, equal_bits
from kgym_runner.tolerance import Tolerance
from kgym_runner.tree import leaves
from kgym_runner.wire import Failure

SMALL = Tolerance(1e-5, 1e-6)
NAN, INF = math.nan, math.inf
FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2]
COMPLEX = [torch.complex64, torch.complex128]
WHOLE = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool, torch.uint16, torch.uint32, torch.uint64]


def kind(got: Any, expected: Any, allowed: Tolerance | None = SMALL) -> str:
    found = compare(got, expected, [allowed if t.is_floating_point() or t.is_complex() else None for t in leaves(expected)])
    json.dumps(found.json())
    return found.kind


@pytest.mark.parametrize("got, expected", [
    (torch.ones(4, 1), torch.ones(4)), (torch.ones(1, 4), torch.ones(4)), (torch.ones(()), torch.ones(4)), (torch.ones(1), torch.ones(())),
    (torch.ones(1, 4), torch.ones(4, 4)), (torch.ones(4, 4), torch.ones(1, 4)), (torch.ones(0), torch.ones(4)), (torch.ones(4), torch.ones(0)),
    (torch.ones(2, 0), torch.ones(0, 2)), (torch.ones(4), torch.ones(2, 2)), ([torch.ones(4)], torch.ones(4)), (torch.ones(4), [torch.ones(4)]),
    ((torch.ones(4), None), (torch.ones(4),)), (None, torch.ones(4)), (1.0, torch.ones(())), (torch.ones(()), 1.0), (1, 1.0), (True, 1), (1, True), ("1", 1), (None, 0),
    ({"a": torch.ones(1)}, {"b": torch.ones(1)}), ({"a": 1}, [1]), ([1], {"a": 1}), ({"a": 1, "b": 2}, {"a": 1}), ([[1]], [1])], ids=str)
def test_structure(got: Any, expected: Any) -> None:
    assert kind(got, expected) == "shape"


def test_what_structure_leaves_free() -> None:
    a, b = torch.ones(2), torch.zeros(3)
    assert kind([a, b], (a, b)) == "" == kind({"y": b, "x": a}, {"x": a, "y": b}) == kind([], ()) == kind({}, {}) == kind(None, None)


@pytest.mark.parametrize("got, expected", [p for p in itertools.permutations(FLOATS[:4] + COMPLEX[:1] + WHOLE[:6], 2)], ids=str)
def test_no_dtype_stands_for_another(got: torch.dtype, expected: torch.dtype) -> None:
    assert kind(torch.ones(3).to(got), torch.ones(3).to(expected)) == "dtype"


@pytest.mark.parametrize("dtype", FLOATS + COMPLEX + WHOLE, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 4)], ids=str)
def test_equal_passes_and_one_wrong_element_does_not(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    expected = torch.ones(shape).to(dtype)
    assert kind(expected.clone(), expected) == "" and equal_bits(expected.clone(), expected)
    if expected.numel():
        wrong = torch.ones(shape)
        wrong.view(-1)[-1] = 0
        found = compare(wrong.to(dtype), expected, [SMALL if dtype not in WHOLE else None])
        assert found.kind == "numerical" and found.stats["share_out"] == 1 / expected.numel() and not equal_bits(wrong.to(dtype), expected)
        assert found.stats["first"][0]["index"] == [n - 1 for n in shape]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e25], ids=str)
@pytest.mark.parametrize("sign", [-1, 1])
def test_the_border(dtype: torch.dtype, scale: float, sign: int) -> None:
    """Both terms count, at any scale: rtol for large elements, atol for small ones in units of the rms."""
    expected = torch.full((1000,), scale, dtype=dtype)
    expected[0] = 0.0
    for index, border in ((0, 1e-2), (1, 1e-1 + 1e-2)):
        for factor, word in ((0.98, ""), (1.02, "numerical")):
            got = expected.clone()
            got[index] += sign * factor * border * scale
            assert kind(got, expected, Tolerance(1e-1, 1e-2)) == word


def test_large_values_do_not_make_everything_right() -> None:
    """Squares that overflow must not end in a tolerance without bounds."""
    for large in (1e19, 1e25, 3e38):
        expected = torch.tensor([large, 1.0, large])
        assert kind(torch.zeros(3), expected) == "numerical" and kind(-expected, expected) == "numerical"
    assert kind(torch.full((3,), 1e-30), torch.full((3,), 3e-30)) == "numerical"
    assert kind(torch.zeros(3), torch.full((3,), 1e-25)) == "numerical"


def test_a_reference_of_zeros_takes_zeros_only() -> None:
    assert kind(torch.zeros(3), torch.zeros(3)) == "" == kind(-torch.zeros(3), torch.zeros(3))
    assert kind(torch.tensor([0, 1e-30, 0]), torch.zeros(3)) == "numerical"


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("got, expected", list(itertools.product([1.0, NAN, INF, -INF], repeat=2)))
def test_classes(dtype: torch.dtype, got: float, expected: float) -> None:
    left, right = (torch.tensor([1.0, x, 2.0], dtype=dtype) for x in (got, expected))
    same = repr(got) == repr(expected)
    assert kind(left, right) == ("" if same else "nan")
    left[0] = 5.0
    assert kind(left, right) == ("numerical" if same else "nan")


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_classes_of_complex_numbers_are_those_of_both_parts(dtype: torch.dtype) -> None:
    parts = [1.0, NAN, INF, -INF]
    numbers = [complex(r, i) for r, i in itertools.product(parts, repeat=2)]
    for i, j in itertools.product(range(len(numbers)), repeat=2):
        left, right = torch.tensor([numbers[i], 1.0], dtype=dtype), torch.tensor([numbers[j], 1.0], dtype=dtype)
        assert kind(left, right) == ("" if i == j else "nan")


def test_a_difference_that_overflows_is_numerical() -> None:
    assert kind(torch.tensor([3e38, 1.0]), torch.tensor([-3e38, 1.0])) == "numerical"
    assert kind(torch.tensor([INF] * 4), torch.tensor([INF] * 4)) == "" == kind(torch.tensor([NAN]), torch.tensor([NAN]))


@pytest.mark.parametrize("dtype", WHOLE, ids=str)
def test_integers_have_no_tolerance(dtype: torch.dtype) -> None:
    top = True if dtype is torch.bool else torch.iinfo(dtype).max
    expected = torch.tensor([top, 0, top], dtype=dtype)
    off = expected.clone()
    off[0] = 0 if top in (True, 2**64 - 1) else top - 1
    assert kind(expected.clone(), expected) == "" and kind(off, expected) == "numerical"


@pytest.mark.parametrize("got, expected, word", [
    (1.0, 1.0, ""), (1.0 + 1e-7, 1.0, ""), (1.001, 1.0, "numerical"), (NAN, NAN, ""), (INF, INF, ""), (-INF, INF, "numerical"), (5.0, INF, "numerical"), (INF, 5.0, "numerical"),
    (5.0, NAN, "numerical"), (NAN, 5.0, "numerical"), (0.0, -0.0, ""), (7, 7, ""), (8, 7, "numerical"), (10**20 + 1, 10**20, "numerical"), (True, True, ""), (False, True, "numerical"),
    ("a", "a", ""), ("a", "b", "numerical"), (1 + 1j, 1 + 1j, ""), (1 + 1.0000001j, 1 + 1j, ""), (1 + 2j, 1 + 1j, "numerical"), (complex(1, NAN), complex(1, NAN), ""),
    (1 + 0j, complex(INF, 0), "numerical")], ids=str)
def test_numbers(got: Any, expected: Any, word: str) -> None:
    assert kind(got, expected) == word == kind([got], (expected,))


def test_the_first_difference_in_order_and_the_worst_without_one() -> None:
    e = (torch.ones(2), torch.ones(3))
    found = compare([e[0] * 2, e[1] * 3], e, [SMALL, SMALL])
    assert (found.kind, found.output) == ("numerical", 0)
    found = compare([e[0], e[1] * (1 + 3e-6)], e, [SMALL, SMALL])
    assert (found.kind, found.output) == ("", 1) and found.stats["max_rel"] == pytest.approx(3e-6, rel=0.1)


def test_a_reference_whose_number_of_outputs_changes_is_at_fault() -> None:
    with pytest.raises(Failure) as failure:
        compare([torch.ones(1)] * 2, [torch.ones(1)] * 2, [SMALL])
    assert failure.value.kind == "problem"


def test_messages_stay_short() -> None:
    for got in ({"k" * 9000: 1}, "x" * 90_000, torch.ones([1] * 60), {str(i) * 50: 0 for i in range(1000)}):
        assert len(json.dumps(compare(got, torch.ones(2), [SMALL]).json())) < 3000
        assert len(json.dumps(compare(got, "y" * 90_000, []).json())) < 3000


def test_equal_bits() -> None:
    nan = torch.tensor([NAN, 1.0])
    assert equal_bits(nan, nan.clone()) and not equal_bits(torch.tensor([0.0]), torch.tensor([-0.0]))
    assert not equal_bits(torch.zeros(2), torch.zeros(2, dtype=torch.int32)) and not equal_bits(torch.zeros(2), torch.zeros(2, 1)) and not equal_bits([nan], [nan, nan])
    z = torch.tensor([1 + 2j])
    assert equal_bits([z.conj(), z.conj().imag], [z.conj().resolve_conj(), -z.imag])
    assert Difference().json() == {"kind": "", "message": "", "output": 0}
