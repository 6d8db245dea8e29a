"""Tolerances: the formula, and on every problem of the suite that honest rounding is within and half the work or half the bits is not."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import stand_ins
from kgym_runner import inputs as input_sets
from kgym_runner.compare import compare
from kgym_runner.diagnose import simulate
from kgym_runner.problem import load_problem, reduction_length
from kgym_runner.tolerance import in_float64, rms, tolerances
from kgym_runner.tree import leaves, rebuild

aten = torch.ops.aten
WIDE = (torch.float32, torch.float64)


class InOtherOrder(TorchDispatchMode):
    """Sums and products of matrices in pieces of the summed dimension, the last piece first: an honest kernel with another blocking."""
    PIECES = 7

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in (aten.mm.default, aten.bmm.default):
            return self._product(func, *args)
        if func is aten.addmm.default and not kwargs:
            return self._product(aten.mm.default, *args[1:]) + args[0]
        if func in (aten.sum.dim_IntList, aten.mean.dim) and len(args[1] or []) == 1 and args[0].dtype in WIDE:
            total = sum(p.sum(*args[1:]) for p in reversed(args[0].chunk(self.PIECES, args[1][0])))
            return total if func is aten.sum.dim_IntList else total / args[0].shape[args[1][0]]
        return func(*args, **(kwargs or {}))

    def _product(self, func: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        pieces = [func(x.float(), y.float()) for x, y in zip(a.chunk(self.PIECES, -1), b.chunk(self.PIECES, -2))]
        return sum(reversed(pieces)).to(a.dtype)


class Case:
    """A problem at its CPU scale with one input set, its answer, and what the judge allows."""

    def __init__(self, path: Path, kind: str = "fresh"):
        torch.set_grad_enabled(False)
        self.module = load_problem(path.read_text(), str(path), "cpu")
        input_sets.reseed(42)
        self.model = self.module.Model(*self.module.get_init_inputs())
        self.example = input_sets.fresh(self.module, 5)
        self.exact = in_float64(self.model, self.copy(self.example))
        self.allowed = tolerances(self.model(*self.copy(self.example)), self.exact, reduction_length(self.module), {})
        self.inputs = input_sets.make(self.module, kind, 9, None)
        self.expected = self.model(*self.copy(self.inputs))

    @staticmethod
    def copy(values: Any) -> Any:
        return rebuild(values, lambda t: t.clone())

    def verdict(self, got: Any) -> Any:
        return compare(got, self.expected, self.allowed)

    def excess(self, got: Any) -> float:
        """The largest error in units of what is allowed, over all outputs."""
        ratios = [0.0]
        for g, e, t in zip(leaves(got), leaves(self.expected), self.allowed):
            if t is not None and e.numel():
                g, e = g.double(), e.double()
                ratios.append(float(((g - e).abs() / (t.rtol * e.abs() + t.atol_rms * rms(e) + 1e-300)).nan_to_num(0.0).max()))
        return max(ratios)

    def rounded_from_float64(self) -> Any:
        exact = in_float64(self.model, self.copy(self.inputs))
        it = iter(list(leaves(self.expected)))
        return None if exact is None else rebuild(exact, lambda t: t.to(next(it).dtype))

    def in_other_order(self) -> Any:
        with InOtherOrder():
            return self.model(*self.copy(self.inputs))


SUITE = [pytest.param(path, id=path.stem) for path in stand_ins.SUITE]

# Where rounding the operands cannot be told from honest rounding: sums in which it averages out, answers that are indices, operands of 16 bits.
AVERAGED = {"cross_entropy", "huber_loss", "mse_loss", "linear_cross_entropy", "sum_rows", "sum_columns", "argmax_rows", "matmul_fp16", "scale_bf16"}


@pytest.fixture(scope="module", params=SUITE)
def case(request: pytest.FixtureRequest) -> Case:
    return Case(request.param)


def test_honest_rounding_is_accepted(case: Case) -> None:
    for honest in (case.rounded_from_float64(), case.in_other_order()):
        assert honest is not None and case.verdict(honest).kind == ""
        assert case.excess(honest) < 0.6  # Room for what a GPU's fast exponential and other blockings add.


@pytest.mark.parametrize("how", ["float16", "bfloat16", "tf32"])
def test_rounded_operands_are_refused(case: Case, how: str) -> None:
    if Path(case.module.__file__).stem in AVERAGED:
        pytest.skip("rounding averages out, or the problem has 16 bits itself")
    assert case.verdict(simulate(case.model, case.inputs, how)).kind == "numerical"


def _without_tail(tensor: torch.Tensor) -> torch.Tensor:
    tensor = tensor.clone()
    if tensor.is_floating_point() and tensor.numel() > 1:
        tensor.view(-1)[-max(1, tensor.numel() // 16):] = 0
    return tensor


def test_missing_work_is_refused(case: Case) -> None:
    assert case.verdict(rebuild(case.expected, torch.zeros_like)).kind == "numerical"
    outputs = rebuild(case.expected, lambda t: _without_tail(t.contiguous()))
    if any(t.numel() > 1 and t.is_floating_point() for t in leaves(case.expected)):
        assert case.verdict(outputs).kind == "numerical"
    if any(t.is_floating_point() for t in leaves(case.inputs)):
        assert case.verdict(case.model(*rebuild(case.inputs, _without_tail))).kind in ("numerical", "nan")


def _allowed(dtype: torch.dtype, reduction: int = 1, exact: Any = None, **override: float) -> Any:
    return tolerances(torch.ones(4).to(dtype), exact, reduction, override)[0]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.complex64, torch.complex128, torch.float8_e4m3fn, torch.float8_e5m2])
@pytest.mark.parametrize("reduction", [1, 100, 10**4, 10**8, 10**12])
def test_the_formula_stays_between_a_step_and_a_cap(dtype: torch.dtype, reduction: int) -> None:
    allowed, eps = _allowed(dtype, reduction), torch.finfo(dtype).eps
    assert eps < allowed.rtol <= 0.35 and 0 < allowed.atol_rms <= 0.35  # One step of the format always passes.
    if dtype is torch.float32:
        assert allowed.rtol <= 1e-3
    assert allowed.rtol >= _allowed(dtype, 1).rtol  # It only grows with the length of a sum.


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int8, torch.uint8, torch.bool])
def test_integers_are_exact(dtype: torch.dtype) -> None:
    assert _allowed(dtype) is None


def test_an_override_wins_for_each_number() -> None:
    derived = _allowed(torch.float32, 100)
    only = _allowed(torch.float32, 100, rtol=0.5)
    assert only.rtol == 0.5 and only.atol_rms == derived.rtol  # Without float64 the floor is rtol.
    assert _allowed(torch.float32, 100, rtol=0.0, atol_rms=0.25).json() == {"rtol": 0.0, "atol_rms": 0.25}


def test_cancellation_widens_the_floor_up_to_the_cap() -> None:
    exact = torch.tensor([1.0, 0.0], dtype=torch.float64)
    def floor(error: float) -> float:
        return tolerances(torch.tensor([1.0, error]), exact, 1, {})[0].atol_rms
    assert floor(0.0) < 2e-6 and 1e-5 < floor(1e-5) < 2e-4 and floor(0.5) == 1e-3


@pytest.mark.parametrize("scale", [1e-44, 1e-30, 1e-3, 1.0, 1e20, 3e38])
def test_rms_neither_overflows_nor_vanishes(scale: float) -> None:
    tensor = torch.full((1000,), scale)
    assert rms(tensor) == pytest.approx(float(tensor[0]), rel=1e-6)
    assert rms(torch.full((10,), scale, dtype=torch.float64) ** 7 if 1e-30 < scale < 1e21 else tensor) > 0


def test_rms_of_odd_tensors() -> None:
    assert rms(torch.zeros(3)) == 0 == rms(torch.empty(0)) == rms(torch.tensor([float("nan"), float("inf")]))
    assert rms(torch.tensor([3.0, float("nan"), -3.0, float("-inf")])) == pytest.approx(3.0)
    assert rms(torch.tensor([3 + 4j])) == pytest.approx(5.0)
    assert rms(torch.full((4,), 2.0).to(torch.float8_e4m3fn)) == pytest.approx(2.0)
    assert rms(torch.full((4,), 1e200, dtype=torch.float64)) == pytest.approx(1e200)


def test_a_kernel_may_round_as_torch_does_by_default_and_hardly_more() -> None:
    exact = torch.randn(4096, generator=torch.Generator().manual_seed(1))
    usual = exact + 2e-3 * torch.randn(4096, generator=torch.Generator().manual_seed(2))
    strict, = tolerances(exact, exact.double(), 64, {})
    loose, = tolerances(exact, exact.double(), 64, {}, usual)
    same, = tolerances(exact, exact.double(), 64, {}, exact.clone())
    assert same == strict and loose.rtol == strict.rtol
    largest = float((usual - exact).abs().max()) / float(exact.square().mean().sqrt())
    assert 3 * largest < loose.atol_rms <= 4 * largest
