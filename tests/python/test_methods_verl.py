"""The same inputs give the same outputs as verl's own functions, for what both have. Where they differ, docs/methods.md says why.

verl is no requirement of the project: run this where it is installed beside kgym (pip install --no-deps verl==0.9.1).
"""
from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

sys.path.insert(0, str(Path(__file__).parent))
import verl_functions  # noqa: E402
from verl_functions import Config  # noqa: E402

pytest.importorskip("kgym._learn", reason="the package kgym is not installed: pip install ./python/kgym")
import kgym  # noqa: E402

try:
    verl, verl_correction = verl_functions.load(), verl_functions.load("rollout_corr_helper")
except ImportError as error:
    pytest.skip(str(error), allow_module_level=True)

ROWS, COLUMNS = 24, 17
TOLERANCE = 1e-6  # Both compute in double, but verl has some constants in single precision.


class Batch:
    """Groups of unequal size, one of a single row; replies of unequal length."""

    def __init__(self, seed: int) -> None:
        draw = np.random.default_rng(seed)
        self.groups = np.sort(np.concatenate([draw.integers(0, 5, ROWS - 1), [9]])).astype(np.int64)
        self.mask = np.arange(COLUMNS) < draw.integers(1, COLUMNS + 1, (ROWS, 1))
        self.scores = draw.choice([0.0, 0.5, 1.25, 2.5], ROWS)
        self.scores[self.groups == 1] += draw.random((self.groups == 1).sum())
        self.rewards = np.zeros((ROWS, COLUMNS))
        self.rewards[np.arange(ROWS), self.mask.sum(1) - 1] = self.scores
        self.log_probs = -draw.exponential(1.0, (ROWS, COLUMNS))
        self.old = self.log_probs + 0.4 * draw.standard_normal((ROWS, COLUMNS))
        self.values = draw.standard_normal((ROWS, COLUMNS))
        self.advantages = draw.standard_normal(ROWS)
        self.weights = draw.uniform(0.2, 2.0, (ROWS, COLUMNS))

    @property
    def given(self) -> dict[str, Any]:
        return {"token_level_rewards": torch.tensor(self.rewards), "response_mask": torch.tensor(self.mask, dtype=torch.float64), "index": self.groups}


@pytest.fixture(params=range(3))
def batch(request: pytest.FixtureRequest) -> Batch:
    return Batch(request.param)


def expect_rows(batch: Batch, got: np.ndarray, expected: torch.Tensor) -> None:
    np.testing.assert_allclose(got[:, None] * batch.mask, expected.numpy(), rtol=0, atol=TOLERANCE)


def test_rloo(batch: Batch) -> None:
    got = kgym.leave_one_out(batch.scores, batch.groups, alone="return")
    expect_rows(batch, got, verl.compute_rloo_outcome_advantage(**batch.given)[0])
    expect_rows(batch, kgym.leave_one_out(batch.scores, batch.groups), verl.compute_rloo_vectorized_outcome_advantage(**batch.given)[0])


@pytest.mark.parametrize("scale", [True, False])
def test_grpo(batch: Batch, scale: bool) -> None:
    expected = verl.compute_grpo_outcome_advantage(**batch.given, norm_adv_by_std_in_grpo=scale)[0]
    expect_rows(batch, kgym.grpo(batch.scores, batch.groups, scale=scale, alone="return"), expected)


def test_opo(batch: Batch) -> None:
    lengths = batch.mask.sum(1).astype(float)
    got = kgym.weighted_baseline(batch.scores, lengths, batch.groups, baseline="group", alone="return")
    expect_rows(batch, got, verl.compute_opo_outcome_advantage(**batch.given)[0])


def test_gpg(batch: Batch) -> None:
    expect_rows(batch, kgym.gpg(batch.scores, batch.groups), verl.compute_gpg_outcome_advantage(**batch.given)[0])


@pytest.mark.parametrize("scale", [True, False])
def test_best_of_group(batch: Batch, scale: bool) -> None:
    groups = batch.groups % 2  # verl refuses a row alone.
    expected, _ = verl.compute_grpo_passk_outcome_advantage(**batch.given | {"index": groups}, config=Config(norm_adv_by_std_in_grpo=scale))
    expect_rows(batch, kgym.best_of_group(batch.scores, groups, scale=scale), expected)


def test_remax(batch: Batch) -> None:
    baselines = batch.values[:, 0].copy()
    rewards, mask = batch.given["token_level_rewards"], batch.given["response_mask"]
    expect_rows(batch, kgym.subtract_baseline(batch.scores, baselines), verl.compute_remax_outcome_advantage(rewards, torch.tensor(baselines), mask)[0])


@pytest.mark.parametrize("holes", [False, True])
def test_optimal_token_baseline(batch: Batch, holes: bool) -> None:
    theirs, mask = verl.compute_optimal_token_baseline_advantage, batch.mask.copy()
    if holes:  # What the environment says between a policy's turns.
        theirs = verl.compute_multi_turn_optimal_token_baseline_advantage
        mask[:, 3:5] = False
    rewards, squares = batch.values * mask, np.exp(2 * batch.log_probs) + 0.1
    expected, returns = theirs(torch.tensor(rewards), torch.tensor(mask, dtype=torch.float64), batch.groups, torch.tensor(batch.log_probs),
                               torch.tensor(squares))
    got_returns = kgym.token_returns(rewards, mask)
    np.testing.assert_allclose(got_returns, returns.numpy() * mask, rtol=0, atol=TOLERANCE)
    proxy = kgym.gradient_norm_proxy(batch.log_probs, squares, mask)
    got = kgym.optimal_token_baseline(got_returns, proxy, mask, None, batch.groups, baseline="group", alone="return")
    np.testing.assert_allclose(got, expected.numpy(), rtol=0, atol=TOLERANCE)


def test_reinforce_plus_plus(batch: Batch) -> None:
    gamma = 0.9
    expected, returns = verl.compute_reinforce_plus_plus_outcome_advantage(batch.given["token_level_rewards"], batch.given["response_mask"],
                                                                           config=Config(gamma=gamma))
    got = kgym.token_returns(batch.rewards, batch.mask, gamma=gamma)
    np.testing.assert_allclose(got, returns.numpy(), rtol=0, atol=TOLERANCE)
    white = kgym.whiten(got.ravel(), batch.mask.ravel(), epsilon=0.0, variance_epsilon=1e-8).reshape(got.shape)
    np.testing.assert_allclose(white, expected.numpy(), rtol=0, atol=TOLERANCE)


def test_reinforce_plus_plus_baseline(batch: Batch) -> None:
    centred = kgym.grpo(batch.scores, batch.groups, scale=False, alone="return")
    got = kgym.whiten(centred, weights=batch.mask.sum(1).astype(np.int64), epsilon=0.0, variance_epsilon=1e-8)
    expect_rows(batch, got, verl.compute_reinforce_plus_plus_baseline_outcome_advantage(**batch.given)[0])


def test_gae(batch: Batch) -> None:
    advantages, returns = kgym.gae(batch.rewards, batch.values, batch.mask, gamma=0.95, lambda_=0.9)
    white = kgym.whiten(advantages.ravel(), batch.mask.ravel(), epsilon=0.0, variance_epsilon=1e-8).reshape(advantages.shape)
    mask = batch.given["response_mask"]
    expected, expected_returns = verl.compute_gae_advantage_return(batch.given["token_level_rewards"], torch.tensor(batch.values), mask, 0.95, 0.9)
    np.testing.assert_allclose(white, (expected * mask).numpy(), rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(returns, (expected_returns * mask).numpy(), rtol=0, atol=TOLERANCE)


# verl 0.9 divides its seq-mean-token-sum-norm by rows as well as by the length; ours, as Dr. Kernel's, by the length only.
AGGREGATIONS = {
    "token-mean": {"aggregation": "token-mean"},
    "token-sum": {"aggregation": "sum"},
    "seq-mean-token-sum": {"aggregation": "seq-mean-token-sum"},
    "seq-mean-token-mean": {"aggregation": "seq-mean-token-mean"},
    "seq-mean-token-sum-norm": {"aggregation": "seq-mean-token-sum", "scale": float(COLUMNS)},
}


# Ours, and verl's with the options that make it the same. verl's GSPO has no dual clip; with bounds out of reach its PPO is importance sampling.
OUT_OF_REACH = 1e9
LOSSES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "ppo-clip": ("vanilla", {}, {}),
    "gspo": ("gspo", {}, {"dual_clip": 0.0}),
    "cispo": ("cispo", {}, {}),
    "importance-sampling": ("vanilla", {"clip_ratio_low": OUT_OF_REACH, "clip_ratio_high": OUT_OF_REACH, "clip_ratio_c": OUT_OF_REACH}, {}),
    "dro": ("dro", {"policy_loss": Config(dro_beta=0.3)}, {"dro_beta": 0.3}),
    "cross-entropy": ("gpg", {}, {}),
}


def verl_loss(batch: Batch, name: str, advantages: np.ndarray, mode: str, weights: np.ndarray | None, **options: Any) -> tuple[float, np.ndarray]:
    """verl's loss and what autograd makes of it."""
    given = {"clip_ratio": 0.2, "clip_ratio_low": 0.2, "clip_ratio_high": 0.28, "clip_ratio_c": 3.0, "global_batch_info": {}} | options
    log_probs = torch.tensor(batch.log_probs, requires_grad=True)
    loss, _ = verl.get_policy_loss_fn(name)(torch.tensor(batch.old), log_probs, torch.tensor(np.broadcast_to(advantages, batch.mask.shape)),
                                            batch.given["response_mask"], mode, Config(**given), None if weights is None else torch.tensor(weights))
    loss.backward()
    assert log_probs.grad is not None
    return loss.item(), log_probs.grad.numpy()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("mode", AGGREGATIONS)
@pytest.mark.parametrize("objective", LOSSES)
def test_policy_loss(batch: Batch, objective: str, mode: str, weighted: bool) -> None:
    name, their_options, our_options = LOSSES[objective]
    weights = batch.weights if weighted else None
    if weighted and objective == "gspo":  # Of a row, as its ratio; test_gspo_of_tokens has the others.
        weights = np.ascontiguousarray(np.broadcast_to(batch.weights[:, :1], batch.weights.shape))
    expected, slope = verl_loss(batch, name, batch.advantages[:, None], mode, weights, **their_options)
    loss, gradient, _ = kgym.policy_loss(batch.log_probs, batch.old, batch.advantages, batch.mask, weights=weights, objective=objective,
                                         **our_options, **AGGREGATIONS[mode])
    assert loss == pytest.approx(expected, abs=1e-7)  # verl adds 1e-8 to a row's length, and counts rows in single precision.
    np.testing.assert_allclose(gradient, slope, rtol=0, atol=1e-7)


def test_gspo_of_tokens(batch: Batch) -> None:
    """Where the tokens of a row differ, verl's gradient is by token, ours its mean over the row: that of the same loss, as all share one ratio."""
    expected, slope = verl_loss(batch, "gspo", batch.values, "seq-mean-token-mean", batch.weights)
    loss, gradient, _ = kgym.policy_loss(batch.log_probs, batch.old, batch.values, batch.mask, weights=batch.weights, objective="gspo", dual_clip=0.0,
                                         aggregation="seq-mean-token-mean")
    assert loss == pytest.approx(expected, abs=1e-7)
    np.testing.assert_allclose(gradient, batch.mask * (slope.sum(1) / batch.mask.sum(1))[:, None], rtol=0, atol=1e-7)


def test_rollout_correction(batch: Batch) -> None:
    """verl's bypass mode: REINFORCE with weights from the rollout's log-probabilities."""
    mask, rollout = batch.given["response_mask"], torch.tensor(batch.old)
    weights, _ = verl_correction.compute_rollout_correction_weights(torch.tensor(batch.log_probs) - rollout, mask, "token", 2.0)
    log_probs = torch.tensor(batch.log_probs, requires_grad=True)
    expected, _ = verl.compute_policy_loss_reinforce(rollout, log_probs, torch.tensor(batch.advantages)[:, None].expand(ROWS, COLUMNS), mask, "token-mean",
                                                     Config(global_batch_info={}), weights)
    expected.backward()
    assert log_probs.grad is not None
    loss, gradient, _ = kgym.policy_loss(batch.log_probs, batch.old, batch.advantages, batch.mask, objective="rollout-correction", weight_cap=2.0)
    assert loss == pytest.approx(expected.item(), abs=TOLERANCE)
    np.testing.assert_allclose(gradient, log_probs.grad.numpy(), rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize(("ours", "theirs"), [("token", "token"), ("turn", "sequence")])
@pytest.mark.parametrize("mask_outside", [False, True])
def test_importance_weights(batch: Batch, ours: str, theirs: str, mask_outside: bool) -> None:
    log_ratio, mask = torch.tensor(batch.log_probs - batch.old), batch.given["response_mask"]
    normalize = ours == "token"  # verl's mean of rows is over rows, ours over tokens.
    expected, _ = verl_correction.compute_rollout_correction_weights(log_ratio, mask, theirs, "0.5_1.7" if mask_outside else 1.7, normalize)
    got = kgym.importance_weights(batch.log_probs, batch.old, batch.mask, level=ours, lower=0.5 if mask_outside else 0.0, upper=1.7, mask_outside=mask_outside,
                                  normalize=normalize)
    np.testing.assert_allclose(got, expected.numpy(), rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize(("ours", "theirs"), [("token", "token_k1"), ("turn", "seq_sum_k1"), ("turn-geometric", "seq_mean_k1")])
def test_rejection(batch: Batch, ours: str, theirs: str) -> None:
    log_ratio, mask, lower, upper = torch.tensor(batch.log_probs - batch.old), batch.given["response_mask"], 0.9, 1.25
    # verl bounds the ratio the other way up, rollout over training.
    expected, metrics = verl_correction.compute_rollout_rejection_mask(log_ratio, mask, theirs, f"{1 / upper}_{1 / lower}")
    got, ours_metrics = kgym.mrs_mask(batch.log_probs, batch.old, batch.mask, level=ours, lower=lower, upper=upper, veto=1e-30)
    assert 0 < got.sum() < batch.mask.sum()
    np.testing.assert_array_equal(got, expected.bool().numpy())
    assert ours_metrics["rs_masked_fraction"] == pytest.approx(metrics["rollout_rs_masked_fraction"], abs=TOLERANCE)


def test_mismatch_metrics(batch: Batch) -> None:
    expected = verl_correction.compute_offpolicy_metrics(torch.tensor(batch.log_probs), torch.tensor(batch.old), batch.given["response_mask"])
    got = kgym.mismatch_metrics(batch.log_probs, batch.old, batch.mask)
    names = {"k3": "k3_kl", "log_ppl_difference": "log_ppl_diff", "log_ppl_abs_difference": "log_ppl_abs_diff", "log_ppl_max_difference": "log_ppl_diff_max",
             "log_ppl_min_difference": "log_ppl_diff_min"}
    assert {name: got[name] for name in got} == pytest.approx({name: expected[names.get(name, name)] for name in got}, rel=TOLERANCE)


def test_entropy(batch: Batch) -> None:
    logits = np.random.default_rng(1).standard_normal((ROWS, COLUMNS, 7))
    expected = verl.compute_entropy_loss(torch.tensor(logits), batch.given["response_mask"])
    assert kgym.entropy_bonus(logits, batch.mask)[0] == pytest.approx(expected.item(), abs=TOLERANCE)


def test_adaptive_kl_controller() -> None:
    ours, theirs = kgym.KlController(0.2, target=0.1, horizon=1000), verl.AdaptiveKLController(0.2, 0.1, 1000)
    for kl in (0.0, 0.09, 0.11, 5.0):
        ours.update(kl, 64)
        theirs.update(kl, 64)
        assert ours.coefficient == pytest.approx(theirs.value, rel=1e-12)


@pytest.mark.parametrize(("ours", "theirs"), [("k1", "k1"), ("abs", "abs"), ("k2", "k2"), ("k3", "k3"), ("k3", "k3+")])
def test_kl(batch: Batch, ours: str, theirs: str) -> None:
    log_probs = torch.tensor(batch.log_probs, requires_grad=True)
    mask = batch.given["response_mask"]
    expected = (verl.kl_penalty(log_probs, torch.tensor(batch.old), theirs) * mask).sum() / mask.sum()
    expected.backward()
    assert log_probs.grad is not None
    loss, gradient = kgym.kl_loss(batch.log_probs, batch.old, batch.mask, estimator=ours, gradient_of="k2" if theirs.endswith("+") else ours, clamp=10.0)
    assert loss == pytest.approx(expected.item(), abs=TOLERANCE)
    np.testing.assert_allclose(gradient, log_probs.grad.numpy(), rtol=0, atol=TOLERANCE)
