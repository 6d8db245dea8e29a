"""The same inputs give the same outputs as verl's own functions, for what both have. Where they differ, docs/methods.md says why.

verl is no requirement of the project: run this where it is installed beside kgym.
"""
from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

pytest.importorskip("kgym._learn", reason="the package kgym is not installed: pip install ./python/kgym")
verl = pytest.importorskip("verl.trainer.ppo.core_algos", reason="verl is not installed", exc_type=ImportError)
import kgym  # noqa: E402

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


def test_reinforce_plus_plus(batch: Batch) -> None:
    gamma = 0.9
    expected, returns = verl.compute_reinforce_plus_plus_outcome_advantage(batch.given["token_level_rewards"], batch.given["response_mask"],
                                                                           config=SimpleNamespace(gamma=gamma))
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
    "seq-mean-token-sum": {"aggregation": "seq-mean-token-sum"},
    "seq-mean-token-mean": {"aggregation": "seq-mean-token-mean"},
    "seq-mean-token-sum-norm": {"aggregation": "seq-mean-token-sum", "scale": float(COLUMNS)},
}


@pytest.mark.parametrize("mode", AGGREGATIONS)
def test_policy_loss(batch: Batch, mode: str) -> None:
    class Config(SimpleNamespace):
        def get(self, name: str, default: Any) -> Any:
            return getattr(self, name, default)

    config = Config(clip_ratio=0.2, clip_ratio_low=0.2, clip_ratio_high=0.28, clip_ratio_c=3.0, global_batch_info={})
    log_probs = torch.tensor(batch.log_probs, requires_grad=True)
    advantages = torch.tensor(batch.advantages)[:, None].expand(ROWS, COLUMNS)
    expected, _ = verl.compute_policy_loss_vanilla(torch.tensor(batch.old), log_probs, advantages, batch.given["response_mask"], mode, config)
    expected.backward()
    assert log_probs.grad is not None
    loss, gradient, _ = kgym.policy_loss(batch.log_probs, batch.old, batch.advantages, batch.mask, **AGGREGATIONS[mode])
    assert loss == pytest.approx(expected.item(), abs=1e-7)  # verl adds 1e-8 to a row's length, and counts rows in single precision.
    np.testing.assert_allclose(gradient, log_probs.grad.numpy(), rtol=0, atol=1e-7)


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
