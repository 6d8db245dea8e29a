#!/usr/bin/env python3
"""kgym's methods against verl's own functions on the same arrays, one core each: 512 episodes of 3 turns, 8,192 tokens a turn.

Needs kgym (pip install ./python/kgym) and verl (pip install --no-deps verl==0.9.1) in one environment. An argument other
than 8192 is the number of tokens a turn. Prints processor time, the best of seven in turns, and the ratio; asserts nothing.
"""
from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # Before torch is imported.

import ctypes
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

import kgym

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "python"))
import verl_functions  # noqa: E402

verl = verl_functions.load()
TURNS, EPISODES, ROLLOUTS, ROUNDS = 3, 512, 16, 7


def milliseconds(call: Callable[[], Any]) -> float:
    """Of the processor: what others run meanwhile is not counted."""
    start = time.process_time()
    call()
    return 1e3 * (time.process_time() - start)


def alternately(ours: Callable[[], Any], theirs: Callable[[], Any]) -> tuple[float, float]:
    """The fastest of each, in turns: memory that others use as well is slow for both."""
    pairs = [(milliseconds(ours), milliseconds(theirs)) for _ in range(ROUNDS)]
    return min(a for a, _ in pairs), min(b for _, b in pairs)


def main() -> None:
    torch.set_num_threads(1)
    columns = int(sys.argv[1]) if len(sys.argv) > 1 else 8192
    rows = EPISODES * TURNS
    draw = np.random.default_rng(0)
    groups = np.arange(rows, dtype=np.int64) // (ROLLOUTS * TURNS) * TURNS + np.arange(rows) % TURNS  # One for each (prompt, turn).
    scores, mask = draw.random(rows), np.arange(columns) < draw.integers(columns // 4, columns + 1, (rows, 1))
    old = -draw.exponential(1.0, (rows, columns))
    log_probs = old + 0.02 * draw.standard_normal((rows, columns))
    rewards = np.full((rows, columns), 0.0)  # Written, as rewards are: pages of zeros() that nobody wrote to are all the same memory.
    rewards[np.arange(rows), mask.sum(1) - 1] = scores
    given = {"token_level_rewards": torch.from_numpy(rewards), "response_mask": torch.from_numpy(mask).double(), "index": groups}
    config = verl_functions.Config(clip_ratio=0.2, clip_ratio_low=0.2, clip_ratio_high=0.28, clip_ratio_c=3.0, global_batch_info={}, gamma=1.0)
    advantages = torch.from_numpy(scores - scores.mean())
    gradient = np.empty_like(log_probs)

    def rloo(**where: Any) -> np.ndarray:
        return kgym.broadcast(kgym.leave_one_out(kgym.row_sums(rewards, mask), groups), mask, **where)

    def theirs_loss() -> None:
        leaf = torch.from_numpy(log_probs).requires_grad_()
        loss, _ = verl.compute_policy_loss_vanilla(torch.from_numpy(old), leaf, advantages[:, None].expand(rows, columns), given["response_mask"],
                                                   "token-mean", config)
        loss.backward()

    pairs: list[tuple[str, Callable[[], Any], Callable[[], Any]]] = [
        ("RLOO, loop; ours a row each", lambda: kgym.leave_one_out(kgym.row_sums(rewards, mask), groups),
         lambda: verl.compute_rloo_outcome_advantage(**given)),
        ("RLOO, loop; to tokens, a new array", rloo, lambda: verl.compute_rloo_outcome_advantage(**given)),
        ("RLOO, loop; to tokens, out=", lambda: rloo(out=gradient), lambda: verl.compute_rloo_outcome_advantage(**given)),
        ("RLOO, loop; to tokens, out=, unmasked only", lambda: rloo(out=gradient, leave_masked=True), lambda: verl.compute_rloo_outcome_advantage(**given)),
        ("RLOO, vectorised; to tokens, a new array", rloo, lambda: verl.compute_rloo_vectorized_outcome_advantage(**given)),
        ("RLOO, vectorised; to tokens, out=", lambda: rloo(out=gradient), lambda: verl.compute_rloo_vectorized_outcome_advantage(**given)),
        ("returns of tokens, loop over columns", lambda: kgym.token_returns(rewards, mask, out=gradient),
         lambda: verl.compute_reinforce_plus_plus_outcome_advantage(given["token_level_rewards"], given["response_mask"], config=config)),
        ("PPO clip with gradient, vectorised", lambda: kgym.policy_loss(log_probs, old, advantages, mask, gradient=gradient), theirs_loss),
    ]
    whole = min(milliseconds(lambda: ctypes.memset(gradient.ctypes.data, 1, gradient.nbytes)) for _ in range(ROUNDS))
    print(f"memset of as many numbers: {whole:.1f} ms, {gradient.nbytes / whole / 1e6:.1f} GB/s; {mask.mean():.0%} of the tokens count")
    print(f"{rows} rows x {columns} tokens, float64, one core\n\n| | kgym, ms | verl, ms | ratio |\n|---|---|---|---|")
    for name, ours, theirs in pairs:
        a, b = alternately(ours, theirs)
        print(f"| {name} | {a:.1f} | {b:.1f} | {b / a:.1f} |", flush=True)


if __name__ == "__main__":
    main()
