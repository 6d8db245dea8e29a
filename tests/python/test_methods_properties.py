"""What holds for any batch, whatever the method: the order of rows, padding, packing and micro-batches change nothing, nothing finite gives what is not,
and what is wrong is named by row and column. Small batches with ties, groups of one, rows without tokens, masks with holes."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

pytest.importorskip("kgym._learn", reason="the package kgym is not installed: make bindings")
pytest.importorskip("hypothesis", reason="hypothesis is not installed: pip install hypothesis")
import kgym  # noqa: E402
from hypothesis import assume, given, note, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from hypothesis.extra import numpy as arrays_of  # noqa: E402

bounded = settings(max_examples=50, deadline=None, derandomize=True)
VOCABULARY = 3
AGGREGATIONS = ("token-mean", "seq-mean-token-sum", "seq-mean-token-mean", "seq-mean-token-sum-norm", "sum")


@dataclass
class Batch:
    """Rows are turns in any order; arrays of tokens are matrices, or flat with offsets."""

    groups: np.ndarray
    trajectories: np.ndarray
    turns: np.ndarray
    kept: np.ndarray
    accepted: np.ndarray
    returns: np.ndarray
    baselines: np.ndarray
    weights: np.ndarray  # Not negative, as is the proxy.
    coverage: np.ndarray
    mask: np.ndarray
    log_probs: np.ndarray
    old: np.ndarray
    rewards: np.ndarray
    proxy: np.ndarray
    logits: np.ndarray
    offsets: np.ndarray | None = None

    @property
    def rows(self) -> int:
        return len(self.groups)

    @property
    def columns(self) -> int:
        return self.mask.shape[1]

    def take(self, rows: np.ndarray) -> Batch:
        return Batch(**{name: np.ascontiguousarray(value[rows]) for name, value in vars(self).items() if value is not None})

    def with_garbage(self, extra: int) -> Batch:
        """NaN wherever a mask is not set, and as many columns more that no mask has."""
        changed: dict[str, np.ndarray] = {"mask": np.pad(self.mask, ((0, 0), (0, extra)))}
        for name in TOKENS:
            value = np.pad(getattr(self, name), ((0, 0), (0, extra)) + ((0, 0),) * (getattr(self, name).ndim - 2))
            value[~changed["mask"]] = np.nan
            changed[name] = value
        for name in ("returns", "baselines", "weights", "coverage"):
            changed[name] = np.where(self.kept, getattr(self, name), np.nan)
        return dataclasses.replace(self, **changed)

    def packed(self) -> Batch:
        """Flat, without what the mask leaves out."""
        offsets = np.concatenate([[0], np.cumsum(self.mask.sum(1))]).astype(np.int64)
        return dataclasses.replace(self, **{name: np.ascontiguousarray(getattr(self, name)[self.mask]) for name in ("mask", *TOKENS)}, offsets=offsets)


TOKENS = ("log_probs", "old", "rewards", "proxy", "logits")


@st.composite
def batches(draw: st.DrawFn, least_rows: int = 0) -> Batch:
    rows, columns = draw(st.integers(least_rows, 9)), draw(st.integers(1, 7))
    # Binary fractions, whose sums are exact in any order: a deviation that is nothing but rounding is divided by itself + 1e-8.
    reals, shares = (st.integers(least * 1024, most * 1024).map(lambda n: n / 1024) for least, most in ((-4, 4), (0, 1)))
    # Few distinct episodes, so that groups of one, of none that is kept, and of several turns all come up.
    places = draw(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 3)), min_size=rows, max_size=rows, unique=True))
    prompts = draw(st.lists(st.integers(0, 2), min_size=6, max_size=6))

    def row_values(elements: st.SearchStrategy[Any], dtype: type = np.float64) -> np.ndarray:
        return draw(arrays_of.arrays(dtype, rows, elements=elements))

    def tokens(elements: st.SearchStrategy[Any], *more: int, dtype: type = np.float64) -> np.ndarray:
        return draw(arrays_of.arrays(dtype, (rows, columns, *more), elements=elements))

    log_probs = tokens(st.floats(-6, 0, width=32))
    return Batch(
        groups=np.array([prompts[trajectory] for trajectory, _ in places], dtype=np.int64),
        trajectories=np.array([trajectory for trajectory, _ in places], dtype=np.int64),
        turns=np.array([turn for _, turn in places], dtype=np.int64),
        kept=row_values(st.booleans(), bool), accepted=row_values(st.booleans(), bool),
        returns=row_values(reals), baselines=row_values(reals), weights=row_values(shares), coverage=row_values(shares),
        mask=tokens(st.booleans(), dtype=bool), log_probs=log_probs, old=log_probs + tokens(st.sampled_from([0.0, 0.0005, -0.2, 0.4, -1.0])),
        rewards=tokens(reals), proxy=tokens(shares), logits=tokens(reals, VOCABULARY))


@dataclass(frozen=True)
class Method:
    """`call(batch, **out)` gives arrays whose first dimension is rows (or flat tokens), numbers, or a tuple of them. `reads`: what it refuses NaN in."""

    call: Callable[..., Any]
    reads: tuple[str, ...]
    out: str | None = "out"


def row_methods() -> dict[str, Method]:
    def of_returns(call: Callable[..., Any], *more: str, out: str | None = "out") -> Method:
        return Method(call, ("returns", *more), out)

    methods = {
        "void_turns": of_returns(lambda b: kgym.void_turns(b.returns, b.trajectories, b.turns, b.kept), out=None),
        "trloo": of_returns(lambda b, **o: kgym.trloo(b.returns, b.groups, b.turns, b.kept, **o)),
        "trloo, alone": of_returns(lambda b, **o: kgym.trloo(b.returns, b.groups, b.turns, b.kept, alone="return", **o)),
        "rloo": of_returns(lambda b, **o: kgym.leave_one_out(b.returns, b.groups, None, b.kept, **o)),
        "rloo, scaled": of_returns(lambda b, **o: kgym.leave_one_out(b.returns, b.groups, None, b.kept, scale=True, **o)),
        "erloo": of_returns(lambda b, **o: kgym.erloo(b.returns, b.groups, b.trajectories, b.kept, **o)),
        "grpo": of_returns(lambda b, **o: kgym.grpo(b.returns, b.groups, None, b.kept, **o)),
        "grpo by turn": of_returns(lambda b, **o: kgym.grpo(b.returns, b.groups, b.turns, b.kept, scale=False, **o)),
        "gpg": of_returns(lambda b, **o: kgym.gpg(b.returns, b.groups, b.kept, **o)),
        "subtract_baseline": of_returns(lambda b, **o: kgym.subtract_baseline(b.returns, b.baselines, b.kept, **o), "baselines"),
        "inverse_variance_weights": of_returns(lambda b, **o: kgym.inverse_variance_weights(b.returns, b.groups, b.kept, epsilon=0.1, **o)),
        "best_of_group": of_returns(lambda b, **o: kgym.best_of_group(b.returns, b.groups, b.kept, **o)),
        "pass_at_k": of_returns(lambda b, **o: kgym.pass_at_k_advantages(b.returns, b.groups, 1, 0.5, b.kept, **o)),
        "whiten": of_returns(lambda b, **o: kgym.whiten(b.returns, b.kept, **o)),
        "filter_groups": of_returns(lambda b: kgym.filter_groups(b.returns, b.groups, None, b.kept)[0], out=None),
        "filter_groups, lengths": of_returns(
            lambda b: kgym.filter_groups(b.returns, b.groups, b.turns, b.kept, lengths=b.turns, max_length=3, least_mean=-2.0)[0], out=None),
        "two_gates": of_returns(lambda b: kgym.two_gates(b.returns, b.baselines, -b.coverage, b.kept, closeness=1.0, depth=0.5), "baselines", out=None),
        "choose_groups": Method(lambda b: kgym.choose_groups(b.groups, b.turns, b.kept, complete=2, target=2, seed=5), (), None),
        "prs": Method(lambda b: kgym.prs(b.coverage, b.accepted, b.trajectories, b.turns, 3, b.kept), ("coverage",), None),
    }
    for of in ("sum", "max", "last"):
        methods[f"returns, {of}"] = of_returns(lambda b, of=of, **o: kgym.returns(b.returns, b.trajectories, b.turns, b.kept, gamma=0.5, of=of, **o))
    for shaping in ("none", "difference", "final-only", "difference-of-last-scaled"):
        methods[f"shape_rewards, {shaping}"] = of_returns(
            lambda b, shaping=shaping, **o: kgym.shape_rewards(b.returns, b.trajectories, b.turns, b.kept, shaping=shaping, gamma=0.5, **o))
    for baseline in ("others", "group"):
        methods[f"weighted_baseline, {baseline}"] = of_returns(
            lambda b, baseline=baseline, **o: kgym.weighted_baseline(b.returns, b.weights, b.groups, None, b.kept, baseline=baseline, **o), "weights")
    for baseline in ("accepted", "all"):
        methods[f"rejected_advantages, {baseline}"] = of_returns(
            lambda b, baseline=baseline, **o: kgym.rejected_advantages(b.returns, b.groups, b.turns, b.kept, b.accepted, baseline=baseline, **o))
    return methods


def token_methods() -> dict[str, Method]:
    both = ("log_probs", "old")
    methods = {
        "row_sums": Method(lambda b: kgym.row_sums(b.rewards, b.mask, b.offsets), ("rewards",), None),
        "broadcast": Method(lambda b, **o: kgym.broadcast(b.trajectories.astype(float), b.mask, b.offsets, **o), ()),
        "token_returns": Method(lambda b, **o: kgym.token_returns(b.rewards, b.mask, b.offsets, gamma=0.5, **o), ("rewards",)),
        "gae": Method(lambda b: kgym.gae(b.rewards, b.proxy, b.mask, b.offsets, gamma=0.9, lambda_=0.5), ("rewards", "proxy"), None),
        "whiten_tokens": Method(lambda b, **o: kgym.whiten_tokens(b.rewards, b.mask, b.offsets, **o), ("rewards",)),
        "gradient_norm_proxy": Method(lambda b, **o: kgym.gradient_norm_proxy(b.log_probs, b.proxy, b.mask, b.offsets, **o), ("log_probs", "proxy")),
        "optimal_token_baseline": Method(
            lambda b, **o: kgym.optimal_token_baseline(b.rewards, b.proxy, b.mask, b.offsets, b.groups, b.turns, b.kept, **o), ("rewards", "proxy")),
        "entropies": Method(lambda b: kgym.entropies(b.logits, b.mask, b.offsets), ("logits",), None),
        "high_entropy_weights": Method(lambda b, **o: kgym.high_entropy_weights(b.proxy, b.mask, b.offsets, quantile=0.5, **o), ("proxy",)),
        "extreme_risk_weights": Method(lambda b, **o: kgym.extreme_risk_weights(b.old, b.rewards, b.mask, b.offsets, threshold=0.1, **o), ("old", "rewards")),
        "kl_tokens": Method(lambda b, **o: kgym.kl_tokens(b.log_probs, b.old, b.mask, b.offsets, **o), both),
        "mrs_mask": Method(lambda b: kgym.mrs_mask(b.log_probs, b.old, b.mask, b.offsets, b.trajectories), both, None),
        "bounds_for_share": Method(
            lambda b: kgym.bounds_for_share(b.log_probs, b.old, b.mask, b.offsets, b.trajectories, largest_rejected=0.3), both, None),
        "mismatch_metrics": Method(lambda b: kgym.mismatch_metrics(b.log_probs, b.old, b.mask, b.offsets), both, None),
        "weight_metrics": Method(lambda b: kgym.weight_metrics(b.log_probs, b.old, b.mask, b.offsets, b.trajectories), both, None),
    }
    for level in ("token", "turn", "turn-geometric", "sequence", "geometric"):
        methods[f"importance_weights, {level}"] = Method(
            lambda b, level=level, **o: kgym.importance_weights(b.log_probs, b.old, b.mask, b.offsets, b.trajectories, level=level, normalize=True, **o), both)
    return methods | {name: dataclasses.replace(loss, out="gradient") for name, loss in loss_methods().items()}


def loss_methods() -> dict[str, Method]:
    """Each with the keyword arguments of its aggregation."""
    methods = {}
    for objective in ("ppo-clip", "gspo", "cispo", "importance-sampling", "dro", "cross-entropy", "rollout-correction"):
        methods[f"policy_loss, {objective}"] = Method(
            lambda b, objective=objective, **o: kgym.policy_loss(
                b.log_probs, b.old, b.rewards, b.mask, b.offsets, weights=b.proxy, objective=objective, **o), ("log_probs", "old", "rewards", "proxy"))
    for estimator in ("k1", "abs", "k2", "k3"):
        methods[f"kl_loss, {estimator}"] = Method(
            lambda b, estimator=estimator, **o: kgym.kl_loss(b.log_probs, b.old, b.mask, b.offsets, estimator=estimator, gradient_of=estimator, **o),
            ("log_probs", "old"))
    methods["entropy_bonus"] = Method(lambda b, **o: kgym.entropy_bonus(b.logits, b.mask, b.offsets, **o), ("logits",))
    return methods


ROW_METHODS, TOKEN_METHODS, LOSSES = row_methods(), token_methods(), loss_methods()
METHODS = ROW_METHODS | TOKEN_METHODS


def parts_of(result: Any) -> list[Any]:
    """The arrays and numbers of a result, in order."""
    if isinstance(result, dict):
        return [part for value in result.values() for part in parts_of(value)]
    if isinstance(result, (tuple, list)):
        return [part for value in result for part in parts_of(value)]
    return [result]


def expect_same(got: Any, expected: Any, pick: Callable[[np.ndarray], np.ndarray], tolerance: float) -> None:
    """`pick` takes from an expected array what the same method must give for the other batch."""
    for ours, other in zip(parts_of(got), parts_of(expected), strict=True):
        np.testing.assert_allclose(ours, pick(other) if isinstance(other, np.ndarray) else other, rtol=tolerance, atol=tolerance)


def each(methods: dict[str, Method]) -> Iterator[Method]:
    """All for one batch, which costs more to make than they; a failure tells the name."""
    for name, method in methods.items():
        note(name)
        yield method


@bounded
@given(batch=batches(), data=st.data())
def test_the_order_of_rows_is_of_no_account(batch: Batch, data: st.DataObject) -> None:
    order = np.array(data.draw(st.permutations(range(batch.rows))), dtype=np.int64)
    for method in each(METHODS):
        expect_same(method.call(batch.take(order)), method.call(batch), lambda expected: expected[order], 1e-7)


@bounded
@given(batch=batches(), extra=st.integers(0, 9))
def test_what_a_mask_leaves_out_is_not_read(batch: Batch, extra: int) -> None:
    garbage = batch.with_garbage(extra)
    for method in each(METHODS):
        for got, clean in zip(parts_of(method.call(garbage)), parts_of(method.call(batch)), strict=True):
            if isinstance(clean, np.ndarray) and clean.ndim > 1:
                assert not got[~garbage.mask].any()
                got = got[:, : batch.columns]
            np.testing.assert_array_equal(got, clean)


@bounded
@given(batch=batches())
def test_packed_rows_are_the_same_rows(batch: Batch) -> None:
    packed = batch.packed()
    for method in each(TOKEN_METHODS):
        expect_same(method.call(packed), method.call(batch), lambda expected: expected[batch.mask] if expected.ndim > 1 else expected, 1e-12)


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@bounded
@given(batch=batches(least_rows=1), data=st.data())
def test_micro_batches_add_up(aggregation: str, batch: Batch, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, batch.rows))
    how = {"aggregation": aggregation, "scale": 8.0, "max_length": 7}
    totals = {"total_tokens": int(batch.mask.sum()), "total_rows": int(batch.mask.any(1).sum())}
    for method in each(LOSSES):
        whole = method.call(batch, **how)
        first, second = (method.call(batch.take(rows), **how, **totals) for rows in (np.arange(cut), np.arange(cut, batch.rows)))
        np.testing.assert_allclose(first[0] + second[0], whole[0], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(np.concatenate([first[1], second[1]]), whole[1], rtol=1e-12, atol=1e-12)


@bounded
@given(batch=batches())
def test_all_of_a_given_array_is_written(batch: Batch) -> None:
    for method in each({name: method for name, method in METHODS.items() if method.out}):
        expected = next(part for part in parts_of(method.call(batch)) if isinstance(part, np.ndarray))
        out = np.full_like(expected, np.nan)
        method.call(batch, **{str(method.out): out})
        np.testing.assert_array_equal(out, expected)


@bounded
@given(batch=batches())
def test_masked_places_are_left_where_asked(batch: Batch) -> None:
    out = np.full(batch.mask.shape, 7.0)
    values = np.where(batch.mask.any(1), batch.returns, np.nan)
    kgym.broadcast(values, batch.mask, leave_masked=True, out=out)
    np.testing.assert_array_equal(out, np.where(batch.mask, batch.returns[:, None], 7.0))


@bounded
@given(batch=batches(), raised=st.booleans(), size=st.sampled_from([50.0, 800.0, 1e4]), data=st.data())
def test_extreme_log_probabilities_give_finite_numbers(batch: Batch, raised: bool, size: float, data: st.DataObject) -> None:
    lowered = "old" if raised else "log_probs"  # Both stay log-probabilities, below 0.
    far = data.draw(arrays_of.arrays(bool, batch.mask.shape))
    extreme = dataclasses.replace(batch, **{lowered: getattr(batch, lowered) - size * far}, logits=batch.logits * size)
    for method in each(TOKEN_METHODS):
        for part in parts_of(method.call(extreme)):
            assert part is not None and np.isfinite(part).all()  # None: a dict's number that was not finite.


@bounded
@given(batch=batches())
def test_a_row_alone_has_nothing_to_be_compared_with(batch: Batch) -> None:
    for turns in (None, batch.turns):
        keys = list(zip(batch.groups, batch.turns if turns is not None else batch.groups, batch.kept))
        single = np.array([bool(key[2]) and keys.count(key) == 1 for key in keys], dtype=bool)
        rows = (batch.returns, batch.groups, turns, batch.kept)
        assert not kgym.leave_one_out(*rows)[single].any()
        assert not kgym.grpo(*rows)[single].any()
        assert not kgym.weighted_baseline(batch.returns, batch.weights, batch.groups, turns, batch.kept)[single].any()
        np.testing.assert_array_equal(kgym.leave_one_out(*rows, alone="return")[single], batch.returns[single])


@bounded
@given(batch=batches(least_rows=1), data=st.data())
def test_copies_that_are_marked_change_nothing(batch: Batch, data: st.DataObject) -> None:
    copies = data.draw(st.lists(st.integers(0, batch.rows - 1), max_size=4))
    rows = np.array([*range(batch.rows), *copies], dtype=np.int64)
    first = kgym.first_copies(rows)
    assert first.tolist() == [True] * batch.rows + [False] * len(copies)
    filled = batch.take(rows)
    filled.kept &= first
    for method in each(ROW_METHODS):
        for got, expected in zip(parts_of(method.call(filled)), parts_of(method.call(batch)), strict=True):
            np.testing.assert_array_equal(got[: batch.rows], expected)


@bounded
@given(batch=batches(), by=st.sampled_from(["uniform", "efficiency", "efficiency-stochastic"]), count=st.integers(0, 5), seed=st.integers(0, 2**64 - 1))
def test_as_many_rows_as_asked_and_of_both_sides(batch: Batch, by: str, count: int, seed: int) -> None:
    arguments = (batch.mask.sum(1) + 1, batch.groups, None, batch.kept)
    chosen = kgym.choose_rows(batch.returns, *arguments, count=count, seed=seed, by=by)
    assert not chosen[~batch.kept].any()
    for group in np.unique(batch.groups):
        members = batch.kept & (batch.groups == group)
        taken = members & chosen
        assert taken.sum() == min(count, members.sum())
        positive = batch.returns > 0
        if by != "uniform" and count > 1 and (members & positive).any() and (members & ~positive).any():
            assert (taken & positive).any() and (taken & ~positive).any()
    np.testing.assert_array_equal(kgym.choose_rows(np.where(batch.kept, batch.returns, np.nan), *arguments, count=count, seed=seed, by=by), chosen)


@bounded
@given(batch=batches(), target=st.integers(0, 8), seed=st.integers(0, 2**64 - 1))
def test_whole_groups_are_chosen_the_complete_ones_first(batch: Batch, target: int, seed: int) -> None:
    chosen = kgym.choose_groups(batch.groups, None, batch.kept, complete=2, target=target, seed=seed)
    sizes = {group: int(batch.kept[batch.groups == group].sum()) for group in np.unique(batch.groups[batch.kept])}
    taken = {group: size for group, size in sizes.items() if chosen[batch.groups == group].any()}
    assert len(taken) == min(target, len(sizes)) and chosen.sum() == sum(taken.values())
    complete = sum(size >= 2 for size in sizes.values())
    assert sum(size >= 2 for size in taken.values()) == min(target, complete)


@bounded
@given(batch=batches(), share=st.floats(0, 1), level=st.sampled_from(["token", "turn", "turn-geometric", "sequence", "geometric"]))
def test_bounds_reject_no_more_than_their_share(batch: Batch, share: float, level: str) -> None:
    rows = (batch.log_probs, batch.old, batch.mask, None, batch.trajectories)
    lower, upper = kgym.bounds_for_share(*rows, largest_rejected=share, level=level, upper=1.001)
    assert upper >= 1.001 and lower == 1 / upper
    accepted, _ = kgym.mrs_mask(*rows, level=level, lower=lower, upper=upper, veto=1e-300)
    units, left = (batch.mask, accepted) if level == "token" else (batch.mask.any(1), accepted.any(1))
    assert units.sum() - left.sum() <= share * units.sum() + 1e-9


NOT_FINITE = st.sampled_from([np.nan, np.inf, -np.inf])


def expect_error(method: Method, batch: Batch, name: str, values: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        method.call(dataclasses.replace(batch, **{name: values}))


@bounded
@given(batch=batches(least_rows=1), wrong=NOT_FINITE, data=st.data())
def test_what_is_wrong_with_a_row_is_named(batch: Batch, wrong: float, data: st.DataObject) -> None:
    row, last = data.draw(st.integers(0, batch.rows - 1)), batch.rows - 1
    batch.kept[row] = batch.accepted[row] = True
    for method in each(ROW_METHODS):
        for name in method.reads:
            values = getattr(batch, name).copy()
            values[row] = wrong
            expect_error(method, batch, name, values, f"row {row} is {wrong}")
            expect_error(method, batch, name, values[:-1], f"row {last} has none|there is no row {last}")
        expect_error(method, batch, "kept", batch.kept[:-1], f"row {last} has none")


@bounded
@given(batch=batches(least_rows=1), wrong=NOT_FINITE, data=st.data())
def test_what_is_not_finite_is_named_by_row_and_column(batch: Batch, wrong: float, data: st.DataObject) -> None:
    row, column = data.draw(st.integers(0, batch.rows - 1)), data.draw(st.integers(0, batch.columns - 1))
    batch.mask[row, column] = True
    for method in each(TOKEN_METHODS):
        for name in method.reads:
            values = getattr(batch, name).copy()
            values[row, column] = wrong
            expect_error(method, batch, name, values, f"row {row}, column {column}.* is {wrong}")


@bounded
@given(batch=batches(least_rows=1))
def test_a_wrong_shape_is_named_by_row_and_column(batch: Batch) -> None:
    flat, lengths = batch.packed(), batch.mask.sum(1)
    for method in each(TOKEN_METHODS):
        for name in method.reads:
            values = getattr(batch, name)
            expect_error(method, batch, name, np.ascontiguousarray(values[:, :-1]), f"row 0, column {batch.columns - 1} has none")
            expect_error(method, batch, name, values[:-1], f"row {batch.rows - 1}, column 0 has none")
            if batch.rows != batch.columns:  # As many values, in other rows.
                turned = values.reshape(batch.columns, batch.rows, *values.shape[2:])
                expect_error(method, batch, name, turned, "row .*, column")
            if len(flat.mask) > 0 and len(flat.mask) - 1 != batch.rows:  # As many as rows: advantages of rows.
                row = np.flatnonzero(lengths)[-1]
                expect_error(method, flat, name, getattr(flat, name)[:-1], f"row {row}, column {lengths[row] - 1} has none")


FACTS = st.fixed_dictionaries({
    "format_ok": st.booleans(), "compiled": st.booleans(), "correct": st.booleans(), "tests_passed": st.integers(0, 5), "tests_total": st.integers(5, 5),
    "speedup": st.none() | st.floats(0.01, 100), "coverage": st.none() | st.floats(0, 1), "code_length": st.integers(0, 10_000),
    "thinking_length": st.integers(0, 10_000), "has_thinking": st.booleans(), "turn": st.integers(1, 8)})
REWARDS = ({"preset": "drkernel"}, {"preset": "drkernel", "drkernel.form": "steps"}, {"preset": "kevin"}, {"preset": "staged"},
           {"preset": "expression", "expression": "1 + correct + 10 * speedup"})


@pytest.mark.parametrize("options", REWARDS, ids=lambda options: "-".join(options.values()))
@bounded
@given(facts=FACTS)
def test_a_broken_machine_is_no_reward(options: dict[str, str], facts: dict[str, Any]) -> None:
    reward = kgym.Reward(options)
    assert reward(kgym.RewardFacts("infra", **facts)) is None
    for outcome in ("ok", "fail:numerical", "rejected:stub"):
        paid = reward(kgym.RewardFacts(outcome, **facts))
        assert paid is not None and np.isfinite(paid["reward_total"])


@bounded
@given(rates=st.lists(st.floats(0, 1), min_size=1, max_size=6), target=st.floats(0.5, 5), multiple=st.integers(1, 3), stop=st.integers(0, 30))
def test_oversampling_expects_enough_and_resumes(rates: list[float], target: float, multiple: int, stop: int) -> None:
    options = {"target": target, "multiple": multiple}
    sampler = kgym.Oversampler(**options)
    for prompt, rate in enumerate(rates):
        sampler.observe(prompt, rate)
    expected, count = 0.0, 0
    for step in range(60):
        if step == stop:
            sampler = kgym.Oversampler.from_state(sampler.state(), **options)
        prompt = step % len(rates)
        expected, count = expected + 1 - min(rates[prompt], 0.95), count + 1
        assume(abs(expected - target) > 1e-6)
        enough = sampler.add(prompt)
        assert enough == (expected > target and count % multiple == 0)
        if enough:
            expected, count = 0.0, 0


@bounded
@given(steps=st.lists(st.integers(0, 9), max_size=20), count=st.integers(1, 6), age=st.integers(0, 9))
def test_refill_gives_the_oldest_fresh_rows_once(steps: list[int], count: int, age: int) -> None:
    refill = kgym.Refill(age)
    for row, step in enumerate(steps):
        refill.add(row, step)
    waiting = sorted((step, row) for row, step in enumerate(steps) if 9 - step <= age)
    while taken := kgym.Refill.from_state(refill.state()).take(count, 9):
        assert taken == refill.take(count, 9) == [row for _, row in waiting[:count]]
        waiting = waiting[count:]
    assert refill.take(count, 9) == [] and len(waiting) < count
    assert refill.waiting == len(waiting) and refill.dropped == sum(9 - step > age for step in steps)


@bounded
@given(kls=st.lists(st.floats(0, 1e6), max_size=20), steps=st.integers(0, 10_000))
def test_the_kl_coefficient_goes_towards_its_target(kls: list[float], steps: int) -> None:
    controller, fixed = kgym.KlController(0.2, target=0.1, horizon=1000), kgym.KlController(0.2)
    for kl in kls:
        before = controller.coefficient
        controller.update(kl, steps)
        fixed.update(kl, steps)
        assert controller.coefficient >= 0 and np.isfinite(controller.coefficient)
        assert controller.coefficient >= before if kl >= 0.1 else controller.coefficient <= before
    assert fixed.coefficient == 0.2
    assert kgym.KlController.from_state(controller.state()).coefficient == controller.coefficient
    with pytest.raises(ValueError, match="kl is nan"):
        controller.update(float("nan"), 1)
