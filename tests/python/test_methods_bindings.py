"""The package kgym (python/kgym): numpy and torch in and out without copies, errors that name the row, the same numbers as the golden vectors."""
from __future__ import annotations

import ctypes
import itertools
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

learn = pytest.importorskip("kgym._learn", reason="the package kgym is not installed: pip install ./python/kgym")
import kgym  # noqa: E402

FOLDER = Path(__file__).parents[1] / "golden"


def cases(name: str, function: str) -> list[dict[str, Any]]:
    return [case for case in json.loads((FOLDER / name).read_text(encoding="utf-8"))["cases"] if case["function"] == function]


def ints(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def test_import_needs_no_torch() -> None:
    code = "import sys, kgym; assert 'torch' not in sys.modules; print(kgym.pass_at_k(8, 2, 1))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "0.25"


@pytest.mark.parametrize("case", cases("advantages.json", "leave_one_out"), ids=lambda case: case["name"])
def test_leave_one_out(case: dict[str, Any]) -> None:
    inputs, options = case["inputs"], case["options"]
    got = kgym.leave_one_out(np.array(inputs["returns"], dtype=float), ints(inputs["prompts"]), ints(inputs["turns"]) if options["by"] == "turn" else None,
                             np.array(inputs["kept"], dtype=bool), alone=options["alone"], scale=options["scale"] == "deviation")
    np.testing.assert_allclose(got, case["output"], rtol=0, atol=1e-12)


@pytest.mark.parametrize("case", cases("losses.json", "policy_loss"), ids=lambda case: case["name"])
def test_policy_loss_of_torch_tensors(case: dict[str, Any]) -> None:
    inputs, options = case["inputs"], case["options"]
    tensors = {name: torch.tensor(inputs[name], dtype=torch.float64) for name in ("log_probs", "old_log_probs", "advantages", "weights")}
    through = options["objective"].endswith("-through-weight")
    gradient = torch.full_like(tensors["log_probs"], float("nan"))
    loss, returned, _ = kgym.policy_loss(
        tensors["log_probs"], tensors["old_log_probs"], tensors["advantages"], torch.tensor(inputs["mask"], dtype=torch.bool),
        torch.tensor(inputs["offsets"], dtype=torch.int64), weights=tensors["weights"], objective=options["objective"].removesuffix("-through-weight"),
        through_weight=through, aggregation=options["mode"], scale=options["scale"], max_length=options["max_length"], gradient=gradient)
    assert abs(loss - case["output"]["loss"]) < 1e-12
    np.testing.assert_allclose(gradient.numpy(), case["output"]["gradient"], rtol=0, atol=1e-12)  # Written into the tensor itself.


def test_a_matrix_is_rows_of_equal_length() -> None:
    shape = (3, 5)
    draw = np.random.default_rng(0)
    log_probs, old, advantages = (draw.standard_normal(shape) for _ in range(3))
    mask = draw.random(shape) < 0.7
    loss, gradient, _ = kgym.policy_loss(log_probs, old, advantages, mask)
    assert gradient.shape == shape and (gradient[~mask] == 0).all()
    flat = kgym.policy_loss(log_probs.ravel(), old.ravel(), advantages.ravel(), mask.ravel(), ints([0, 5, 10, 15]))
    assert flat[0] == loss and (flat[1] == gradient.ravel()).all()


def test_nothing_is_copied_silently() -> None:
    groups, turns = ints([0, 0]), ints([1, 1])
    for wrong in (np.array([1, 2], dtype=np.float32), np.arange(4.0)[::2], torch.tensor([1.0, 2.0])):
        with pytest.raises(TypeError):
            kgym.trloo(wrong, groups, turns)
    out = np.empty(2)
    kgym.trloo(np.array([1.0, 3.0]), groups, turns, out=out)
    assert out.tolist() == [-2, 2]


def test_errors_name_the_row() -> None:
    groups, turns = ints([0, 0, 0]), ints([1, 1, 1])
    with pytest.raises(ValueError, match="row 1 is nan"):
        kgym.trloo(np.array([1.0, np.nan, 2.0]), groups, turns)
    with pytest.raises(ValueError, match="row 2 has none"):
        kgym.trloo(np.array([1.0, 2.0]), groups, turns)
    with pytest.raises(ValueError, match="did you mean 'gspo'"):
        kgym.policy_loss(np.zeros((1, 1)), np.zeros((1, 1)), np.zeros(1), np.ones((1, 1), dtype=bool), objective="gpso")
    with pytest.raises(ValueError, match="row 0, column 1 is inf"):
        kgym.kl_loss(np.array([[0.0, np.inf]]), np.zeros((1, 2)), np.ones((1, 2), dtype=bool))


def test_rejection_and_advantages_fit_together() -> None:
    mask = np.ones((4, 3), dtype=bool)
    train, rollout = np.zeros((4, 3)), np.zeros((4, 3))
    rollout[1] = 0.5
    accepted, metrics = kgym.mrs_mask(train, rollout, mask)
    assert accepted.any(axis=1).tolist() == [True, False, True, True] and metrics["rs_seq_masked_fraction"] == 0.25
    returns, groups, turns = np.array([1.0, 50.0, 2.0, 3.0]), ints([0] * 4), ints([1] * 4)
    got = kgym.rejected_advantages(returns, groups, turns, accepted=accepted.any(axis=1))
    assert got.tolist() == [-1.5, 0.0, 0.0, 1.5]


def test_baselines_and_shaping() -> None:
    rewards, episodes, turns = np.array([1.0, 3.0, 2.0]), ints([0, 0, 0]), ints([1, 2, 3])
    assert kgym.subtract_baseline(rewards, np.array([0.5, 1.0, 9.0]), np.array([True, True, False])).tolist() == [0.5, 2, 0]
    assert kgym.shape_rewards(rewards, episodes, turns).tolist() == [1, 2, -1]
    assert kgym.shape_rewards(rewards, episodes, turns, shaping="final-only").tolist() == [0, 0, 2]
    # Two rows: 4 and 3 with proxies 1 and 1, and 10 with proxy 3. In the second column the first row is alone.
    returns, proxy, mask = np.array([[4.0, 3.0], [10.0, 0.0]]), np.array([[1.0, 1.0], [3.0, 0.0]]), np.array([[True, True], [True, False]])
    others = kgym.optimal_token_baseline(returns, proxy, mask, None, ints([0, 0]), alone="return")
    assert others.tolist() == [[-6, 3], [6, 0]]
    whole = kgym.optimal_token_baseline(returns, proxy, mask, None, ints([0, 0]), baseline="group")
    assert whole.tolist() == [[-4.5, 0], [1.5, 0]]


def test_entropies_and_filters() -> None:
    draw = np.random.default_rng(1)
    logits, mask = draw.standard_normal((2, 3, 5)), np.array([[True, True, False], [True, True, True]])
    p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    entropies, squares = kgym.entropies(logits, mask)
    np.testing.assert_allclose(entropies, np.where(mask, -(p * np.log(p)).sum(-1), 0), atol=1e-12)
    np.testing.assert_allclose(squares, np.where(mask, (p**2).sum(-1), 0), atol=1e-12)
    bonus, gradient = kgym.entropy_bonus(logits, mask)
    assert abs(bonus - entropies[mask].mean()) < 1e-12
    np.testing.assert_allclose(gradient[1, 2], -p[1, 2] * (np.log(p[1, 2]) + entropies[1, 2]) / 5, atol=1e-12)
    proxy = kgym.gradient_norm_proxy(np.log(p[..., 0]), squares, mask)
    np.testing.assert_allclose(proxy[mask], ((np.eye(5)[0] - p[mask]) ** 2).sum(-1), atol=1e-12)
    np.testing.assert_allclose(kgym.row_sums(proxy, mask), proxy.sum(1), atol=1e-12)
    assert (kgym.high_entropy_weights(entropies, mask, quantile=0.5) == (mask & (entropies > np.quantile(entropies[mask], 0.5)))).all()
    risky = kgym.extreme_risk_weights(np.log(p[..., 0]), np.array([-1.0, 1.0]), mask, threshold=1.0)
    assert risky.tolist() == [[0, 0, 0], [1, 1, 1]]
    assert kgym.broadcast(np.array([2.0, 3.0]), mask).tolist() == [[2, 2, 0], [3, 3, 3]]


def test_filters_and_choices() -> None:
    scores, groups, lengths = np.array([1.0, 0.0, 0.5, 0.5, 2.0]), ints([0, 0, 1, 1, 1]), ints([10, 30, 20, 20, 5])
    kept, counts = kgym.filter_groups(scores, groups, lengths=lengths, max_length=15, least_uncut=2, all_score=2.0, drop_solved_by_all=True)
    assert not kept.any() and counts["cut"] == 2 and counts["solved_by_all"] == 0
    assert kgym.filter_groups(scores, groups, least_mean=0.9)[0].tolist() == [False, False, True, True, True]
    gates = (np.array([-1.0, -1.0, -1.0]), np.array([-1.005, -1.02, -1.0]), np.array([-3.0, -3.0, -16.0]))
    assert kgym.two_gates(*gates).tolist() == [True, False, False]
    assert kgym.two_gates(*gates, np.array([False, True, True]), closeness=0.1, depth=20.0).tolist() == [False, True, True]
    with pytest.raises(ValueError, match="row 2 has none"):
        kgym.two_gates(gates[0], gates[1][:2], gates[2])
    assert kgym.choose_groups(groups, complete=3, target=1, seed=0).tolist() == [False, False, True, True, True]
    assert kgym.choose_rows(scores, lengths, groups, count=2, seed=0, by="efficiency").tolist() == [True, True, True, False, True]
    with pytest.raises(ValueError, match="did you mean 'efficiency'"):
        kgym.choose_rows(scores, lengths, groups, count=2, seed=0, by="eficiency")
    with pytest.raises(ValueError, match="row 1 is 0"):
        kgym.choose_rows(scores, ints([1, 0, 1, 1, 1]), groups, count=2, seed=0)


@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_pass_at_k_advantages_are_those_of_all_subsets(k: int) -> None:
    """Chen et al. (arXiv 2508.10751): every subset of k replies is a group reply that is worth its best; a reply gets the mean of the subsets it is in."""
    scores = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    subsets = list(itertools.combinations(range(len(scores)), k))
    worth = np.array([scores[list(subset)].max() for subset in subsets])
    scaled = (worth - worth.mean()) / (worth.std() or 1.0)
    expected = [scaled[[row in subset for subset in subsets]].mean() for row in range(len(scores))]
    np.testing.assert_allclose(kgym.pass_at_k_advantages(scores, ints([0] * 6), k), expected, rtol=0, atol=1e-12)


def test_bounds_for_a_share() -> None:
    mask = np.ones((4, 1), dtype=bool)
    train, rollout = np.array([[0.0], [0.1], [-0.2], [0.3]]), np.zeros((4, 1))
    lower, upper = kgym.bounds_for_share(train, rollout, mask, largest_rejected=0.5)
    assert upper == pytest.approx(np.exp(0.1)) and lower == 1 / upper
    assert kgym.mrs_mask(train, rollout, mask, lower=lower, upper=upper)[0].ravel().tolist() == [True, True, False, False]
    assert kgym.bounds_for_share(train, rollout, mask, largest_rejected=0.5, upper=9.0) == (1 / 9, 9)
    with pytest.raises(ValueError, match="largest_rejected is 1.5"):
        kgym.bounds_for_share(train, rollout, mask, largest_rejected=1.5)


def test_stubs_know_the_functions() -> None:
    stubs = (Path(learn.__file__).parent / "_learn.pyi").read_text(encoding="utf-8")
    assert [name for name in kgym.__all__ if f"def {name}(" not in stubs and f"class {name}" not in stubs] == []


class MemoryInUse(ctypes.Structure):
    """glibc's struct mallinfo2."""

    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]


def test_a_loss_gives_back_what_it_takes() -> None:
    """By what malloc has given out, which is exact; the size of the process is not."""
    if not hasattr(ctypes.CDLL(None), "mallinfo2"):
        pytest.skip("no mallinfo2() in this C library")
    mallinfo2 = ctypes.CDLL(None).mallinfo2
    mallinfo2.restype = MemoryInUse
    draw, calls = np.random.default_rng(0), 2000
    old, mask, advantages = -draw.exponential(1.0, (4, 40)), np.ones((4, 40), dtype=bool), draw.standard_normal(4)

    def in_use() -> int:
        now = mallinfo2()
        return int(now.uordblks + now.hblkhd)

    before = 0
    for call in range(calls + 100):
        if call == 100:  # What is made once is there by now.
            before = in_use()
        for objective in ("ppo-clip", "gspo"):
            kgym.policy_loss(old + 0.02, old, advantages, mask, objective=objective)
        kgym.kl_loss(old + 0.02, old, mask)
    assert in_use() - before < 8 * calls  # Nothing that malloc hands out is smaller than 16 bytes.


def test_large_results_are_given_back() -> None:
    """Arrays of several megabytes come from memory of their own kind."""
    mask = np.ones((1, 3 << 19), dtype=bool)
    for value in range(8):
        assert (kgym.broadcast(np.array([float(value)]), mask) == value).all()


def test_rewards() -> None:
    facts = kgym.RewardFacts("ok", correct=True, speedup=2.0, coverage=0.5)
    assert kgym.Reward({"preset": "drkernel"})(facts)["reward_total"] == 1.75
    assert kgym.Reward({"preset": "expression", "expression": "10 * speedup"})(facts)["reward_total"] == 20
    assert kgym.Reward({"preset": "kevin"})(kgym.RewardFacts("infra")) is None
    with pytest.raises(ValueError, match="did you mean 'speedup'"):
        kgym.Reward({"preset": "expression", "expression": "spedup"})
    with pytest.raises(ValueError, match="did you mean"):
        kgym.Reward({"prest": "kevin"})


def test_a_sampler_resumes_from_its_state() -> None:
    sampler = kgym.PromptSampler(20, seed=1, policy="prioritized")
    sampler.next(7)
    resumed = kgym.PromptSampler.from_state(sampler.state(), policy="prioritized")
    assert resumed.next(30) == sampler.next(30)


def test_packs_and_tables() -> None:
    packs = kgym.pack_by_budget(ints([60, 30, 30, 10, 10, 10]), 100)
    assert sorted(row for pack in packs for row in pack) == list(range(6))
    table = kgym.TurnTable()
    table.add(1, 1, True, True, 2.5, 1.0)
    assert table.to_dict()["turns"][0]["fast_in_all"] == [1, 1, 1, 1, 0]
    assert kgym.fast_p(np.array([True, False]), np.array([1.0, np.nan]), [1.0])["in_all"] == [0.0]


def test_other_threads_run_meanwhile() -> None:
    """The GIL is let go: a thread makes progress during a call, though nobody is ever made to hand the GIL over."""
    rows = 300_000
    groups, turns, returns = np.arange(rows, dtype=np.int64) // 16, np.ones(rows, dtype=np.int64), np.ones(rows)
    steps, started, stop = [0], threading.Event(), threading.Event()

    def step() -> None:
        sink = os.open(os.devnull, os.O_WRONLY)
        while not stop.is_set():
            steps[0] += 1
            os.write(sink, b"x")  # Lets go of the GIL by itself.
            started.set()
        os.close(sink)

    thread = threading.Thread(target=step)
    previous = sys.getswitchinterval()
    sys.setswitchinterval(60)
    try:
        thread.start()
        started.wait()
        for _ in range(100):  # Whether the other thread gets a core during one call is the system's affair.
            before = steps[0]
            kgym.trloo(returns, groups, turns)
            if steps[0] > before:
                break
        else:
            pytest.fail("no progress during 100 calls")
    finally:
        stop.set()
        sys.setswitchinterval(previous)
    thread.join()
