#!/usr/bin/env python3
"""Writes the golden vectors beside this file: the formulas of docs/methods.md in plain Python, slowly and one value at a time.

Nothing here is shared with the C++ code. `make_golden.py` writes the files; `documents()` gives their content to a test that checks that
they are what this file says.
"""
from __future__ import annotations

import json
import math
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

Case = dict[str, Any]
DR_KERNEL = "Dr. Kernel (arXiv 2602.05885), vector published with its formulas"
FORMULA = "docs/methods.md"

# Three rollouts of three turns, of one prompt; the published example.
REWARDS = [0, 1.5, 0.9, 1, 0, 2, 0.5, 0.5, 0.5]
ROWS = {"prompts": [0] * 9, "trajectories": [0, 0, 0, 1, 1, 1, 2, 2, 2], "turns": [1, 2, 3] * 3, "kept": [1] * 9}


def case(name: str, function: str, inputs: dict[str, Any], output: Any, source: str = FORMULA, **options: Any) -> Case:
    tolerance = options.pop("tolerance", None)
    made = {"name": name, "function": function, "source": source, "options": options, "inputs": inputs, "output": output}
    return made if tolerance is None else {**made, "tolerance": tolerance}


def by_turn(*turns: list[float]) -> list[float]:
    """Columns of turns, as printed, to rows."""
    return [turns[turn][rollout] for rollout in range(3) for turn in range(3)]


def mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)


def deviation(values: list[float]) -> float:
    return math.sqrt(math.fsum((v - mean(values)) ** 2 for v in values) / (len(values) - 1)) if len(values) > 1 else 0.0


# Returns and advantages. Rows that are not kept get 0 everywhere.

def returns(rewards: list[float], rows: dict[str, list[int]], gamma: float, of: str) -> list[float]:
    out = [0.0] * len(rewards)
    for i in range(len(rewards)):
        if not rows["kept"][i]:
            continue
        later = [j for j in range(len(rewards)) if rows["kept"][j] and rows["trajectories"][j] == rows["trajectories"][i]
                 and rows["turns"][j] >= rows["turns"][i]]
        parts = [gamma ** (rows["turns"][j] - rows["turns"][i]) * rewards[j] for j in later]
        last = max(range(len(later)), key=lambda k: rows["turns"][later[k]])
        out[i] = {"sum": math.fsum(parts), "max": max(parts), "last": parts[last]}[of]
    return out


def groups_of(rows: dict[str, list[int]], by: str) -> list[list[int]]:
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for i, prompt in enumerate(rows["prompts"]):
        if rows["kept"][i]:
            groups[(prompt, rows["turns"][i] if by == "turn" else 0)].append(i)
    return list(groups.values())


def leave_one_out(values: list[float], rows: dict[str, list[int]], by: str, alone: str, scale: str = "none") -> list[float]:
    out = [0.0] * len(values)
    for group in groups_of(rows, by):
        for i in group:
            others = [values[j] for j in group if j != i]
            if not others:
                out[i] = values[i] if alone == "return" else 0.0
            elif scale == "none":
                out[i] = values[i] - mean(others)
            else:
                out[i] = (values[i] - mean(others)) / ((deviation(others) if len(others) > 1 else 1.0) + 1e-8)
    return out


def leave_episode_out(values: list[float], rows: dict[str, list[int]]) -> list[float]:
    out = [0.0] * len(values)
    for group in groups_of(rows, "prompt"):
        for i in group:
            others = [values[j] for j in group if rows["trajectories"][j] != rows["trajectories"][i]]
            out[i] = values[i] - mean(others) if others else 0.0
    return out


def group_relative(values: list[float], rows: dict[str, list[int]], by: str, alone: str, scale: str) -> list[float]:
    out = [0.0] * len(values)
    for group in groups_of(rows, by):
        inside = [values[i] for i in group]
        spread = deviation(inside)
        divisor = 1.0 if scale == "none" else (1.0 if spread < 1e-6 or len(inside) == 1 else spread) + 1e-6
        for i in group:
            if len(inside) == 1:
                out[i] = values[i] / divisor if alone == "return" else 0.0
            else:
                out[i] = (values[i] - mean(inside)) / divisor
    return out


def gpg(values: list[float], rows: dict[str, list[int]]) -> list[float]:
    inside = [i for group in groups_of(rows, "prompt") for i in group]
    factor = len(inside) / max(1, sum(values[i] != 0 for i in inside))
    return [factor * a for a in group_relative(values, rows, "prompt", "return", "none")]


def weighted_baseline(values: list[float], weights: list[float], rows: dict[str, list[int]], source: str) -> list[float]:
    out = [0.0] * len(values)
    for group in groups_of(rows, "prompt"):
        for i in group:
            used = group if source == "group" else [j for j in group if j != i]
            total = math.fsum(weights[j] for j in used)
            if total and len(group) > 1:
                out[i] = values[i] - math.fsum(weights[j] * values[j] for j in used) / total
    return out


def best_of_group(values: list[float], rows: dict[str, list[int]], scale: str) -> list[float]:
    out = [0.0] * len(values)
    for group in groups_of(rows, "prompt"):
        order = sorted(group, key=lambda i: -values[i])
        if len(order) > 1:
            lead = values[order[0]] - values[order[1]]
            out[order[0]] = lead / (1.0 if scale == "none" else deviation([values[i] for i in group]) + 1e-6)
    return out


def pass_at_k_advantages(values: list[float], rows: dict[str, list[int]], k: int) -> list[float]:
    out = [0.0] * len(values)
    for group in groups_of(rows, "prompt"):
        n, failed = len(group), sum(values[i] < 1 for i in group)
        if n < k:
            continue
        miss = math.comb(failed, k) / math.comb(n, k)
        spread = math.sqrt(miss * (1 - miss))
        for i in group:
            if spread and values[i] >= 1:
                out[i] = miss / spread
            elif spread:
                out[i] = (miss - math.comb(failed - 1, k - 1) / math.comb(n - 1, k - 1)) / spread
    return out


def whiten(values: list[float], kept: list[int], epsilon: float, variance_epsilon: float) -> list[float]:
    inside = [v for v, k in zip(values, kept) if k]
    divisor = math.sqrt(deviation(inside) ** 2 + variance_epsilon) + epsilon
    return [(v - mean(inside)) / divisor if k else 0.0 for v, k in zip(values, kept)]


def random_rows(seed: int) -> tuple[dict[str, list[int]], list[float]]:
    """Prompts of 1 to 4 rollouts of 1 to 3 turns, some rows not kept, in random order."""
    draw = random.Random(seed)
    lines = []
    for prompt, rollouts in enumerate([4, 1, 3, 2]):
        for rollout in range(rollouts):
            for turn in range(1, draw.randint(1, 3) + 1):
                lines.append((prompt, 10 * prompt + rollout, turn, int(draw.random() < 0.85), draw.choice([0.0, 0.0, 0.5, 1.25, 2.5])))
    draw.shuffle(lines)
    columns = [list(column) for column in zip(*lines)]
    return dict(zip(("prompts", "trajectories", "turns", "kept"), columns[:4])), columns[4]


def advantage_cases() -> list[Case]:
    published = {"returns": by_turn([2.4, 3, 1.5], [2.4, 2, 1], [0.9, 2, 0.5]), **ROWS}
    void = {"returns": [2.4, 2.4, 0.9, 3, 2, 2, 1.5, 1, 0.5], **ROWS, "kept": [1, 1, 1, 1, 0, 1, 1, 1, 1]}
    cases = [
        case("published returns, gamma 1", "returns", {"rewards": REWARDS, **ROWS}, published["returns"], DR_KERNEL, gamma=1.0, of="sum"),
        case("published returns, gamma 0.4", "returns", {"rewards": REWARDS, **ROWS},
             by_turn([0.744, 1.32, 0.78], [1.86, 0.8, 0.7], [0.9, 2, 0.5]),
             DR_KERNEL, gamma=0.4, of="sum"),
        case("KernelBench RL returns, gamma 0.4", "returns", {"rewards": [0.2, 0.3, 0.8, 1.0], "trajectories": [0] * 4, "turns": [1, 2, 3, 4], "kept": [1] * 4},
             [0.512, 0.78, 1.2, 1.0], "KernelBench RL, by its recursion", gamma=0.4, of="sum"),
        case("published TRLOO", "leave_one_out", published, by_turn([0.15, 1.05, -1.2], [0.9, 0.3, -1.2], [-0.35, 1.3, -0.95]),
             DR_KERNEL, by="turn", alone="return", scale="none"),
        case("published GRPO", "group_relative", published, by_turn([0.1, 0.7, -0.8], [0.6, 0.2, -0.8], [-0.233333, 0.866667, -0.633333]),
             DR_KERNEL, by="turn", alone="return", scale="none", tolerance=1e-6),
        case("published TRLOO, gamma 0.4", "leave_one_out",
             {"returns": by_turn([0.744, 1.32, 0.78], [1.86, 0.8, 0.7], [0.9, 2, 0.5]), **ROWS},
             by_turn([-0.306, 0.558, -0.252], [1.11, -0.48, -0.63], [-0.35, 1.3, -0.95]), DR_KERNEL, by="turn", alone="return", scale="none"),
        case("published TRLOO with a void turn", "leave_one_out", void, by_turn([0.15, 1.05, -1.2], [1.4, 0, -1.4], [-0.35, 1.3, -0.95]),
             DR_KERNEL, by="turn", alone="return", scale="none"),
    ]
    for seed in range(3):
        rows, rewards = random_rows(seed)
        for of in ("sum", "max", "last"):
            cases.append(case(f"returns {of}, rows {seed}", "returns", {"rewards": rewards, **rows}, returns(rewards, rows, 0.7, of), gamma=0.7, of=of))
        values = returns(rewards, rows, 0.7, "sum")
        inputs = {"returns": values, **rows}
        for by in ("turn", "prompt"):
            for alone in ("zero", "return"):
                for scale in ("none", "deviation"):
                    options = {"by": by, "alone": alone, "scale": scale}
                    tag = f"by {by}, alone {alone}, scale {scale}, rows {seed}"
                    cases.append(case(f"leave one out {tag}", "leave_one_out", inputs, leave_one_out(values, rows, **options), **options))
                    cases.append(case(f"group relative {tag}", "group_relative", inputs, group_relative(values, rows, **options), **options))
        weights = [float(1 + (7 * i) % 5) for i in range(len(values))]
        for source in ("group", "others"):
            cases.append(case(f"weighted baseline from {source}, rows {seed}", "weighted_baseline", {**inputs, "weights": weights},
                              weighted_baseline(values, weights, rows, source), **{"from": source}))
        cases += [
            case(f"leave episode out, rows {seed}", "leave_episode_out", inputs, leave_episode_out(values, rows)),
            case(f"GPG, rows {seed}", "gpg", inputs, gpg(values, rows)),
            case(f"best of group, rows {seed}", "best_of_group", inputs, best_of_group(values, rows, "none"), scale="none"),
            case(f"best of group by deviation, rows {seed}", "best_of_group", inputs, best_of_group(values, rows, "deviation"), scale="deviation"),
            case(f"pass@2, rows {seed}", "pass_at_k_advantages", inputs, pass_at_k_advantages(values, rows, 2), k=2),
            case(f"whitened, rows {seed}", "whiten", inputs, whiten(values, rows["kept"], 1e-6, 0), epsilon=1e-6, variance_epsilon=0.0),
            case(f"whitened as verl does, rows {seed}", "whiten", inputs, whiten(values, rows["kept"], 0, 1e-8), epsilon=0.0, variance_epsilon=1e-8),
        ]
    return cases


# Losses of tokens.

def random_tokens(seed: int) -> dict[str, list[float]]:
    draw = random.Random(100 + seed)
    lengths = [5, 0, 7, 3]
    offsets = [sum(lengths[:i]) for i in range(len(lengths) + 1)]
    count = offsets[-1]
    mask = [int(draw.random() < 0.8) for _ in range(count)]
    log_probs = [-draw.expovariate(1.0) for _ in range(count)]
    old = [lp + draw.gauss(0, 0.5) for lp in log_probs]
    advantages = [draw.choice([-1, 1]) * draw.uniform(0.2, 2) for _ in range(count)]
    weights = [draw.uniform(0.2, 2) for _ in range(count)]
    return {"offsets": offsets, "mask": mask, "log_probs": log_probs, "old_log_probs": old, "advantages": advantages, "weights": weights,
            "trajectories": [0, 0, 1, 1]}


def row_weights(tokens: dict[str, list[float]], mode: str, scale: float, max_length: int) -> list[float]:
    rows = [tokens["mask"][b:e] for b, e in zip(tokens["offsets"], tokens["offsets"][1:])]
    filled = sum(any(row) for row in rows)
    divisors = {"token-mean": lambda row: sum(tokens["mask"]), "seq-mean-token-sum": lambda row: filled,
                "seq-mean-token-mean": lambda row: filled * sum(row), "seq-mean-token-sum-norm": lambda row: max_length, "sum": lambda row: 1}
    return [1 / (divisors[mode](row) * scale) if any(row) else 0.0 for row in rows]


LOW, HIGH, DUAL, BETA, CAP = 0.2, 0.28, 3.0, 0.05, 2.0


def ppo(advantage: float, ratio: float) -> tuple[float, float]:
    """A token's loss and its slope in log(ratio)."""
    clipped = min(max(ratio, 1 - LOW), 1 + HIGH)
    loss, slope = (-advantage * ratio, -advantage * ratio) if -advantage * ratio >= -advantage * clipped else (-advantage * clipped, 0.0)
    return (-advantage * DUAL, 0.0) if advantage < 0 and -advantage * DUAL < loss else (loss, slope)


def token_loss(objective: str, advantage: float, lp: float, old: float) -> tuple[float, float]:
    ratio = math.exp(lp - old)
    if objective == "ppo-clip":
        return ppo(advantage, ratio)
    if objective == "cispo":
        fixed = min(max(ratio, 1 - LOW), 1 + HIGH)
        return -fixed * advantage * lp, -fixed * advantage
    if objective == "importance-sampling":
        return -ratio * advantage, -ratio * advantage
    if objective == "dro":
        return -(advantage * lp - BETA / 2 * (lp - old) ** 2), -(advantage - BETA * (lp - old))
    if objective == "cross-entropy":
        return -advantage * lp, -advantage
    weight = min(ratio, CAP)
    through = (ratio if ratio < CAP else 0.0) * lp if objective == "rollout-correction-through-weight" else 0.0
    return -weight * advantage * lp, -advantage * (weight + through)


def policy_loss(tokens: dict[str, list[float]], objective: str, mode: str, scale: float, max_length: int) -> dict[str, Any]:
    total, gradient = [], [0.0] * len(tokens["mask"])
    for row, weight in enumerate(row_weights(tokens, mode, scale, max_length)):
        inside = [i for i in range(tokens["offsets"][row], tokens["offsets"][row + 1]) if tokens["mask"][i]]
        if objective == "gspo" and inside:
            ratio = math.exp(mean([tokens["log_probs"][i] - tokens["old_log_probs"][i] for i in inside]))
            pairs = [ppo(tokens["advantages"][i], ratio) for i in inside]
            slopes = math.fsum(weight * tokens["weights"][i] * slope for i, (_, slope) in zip(inside, pairs)) / len(inside)
            total += [weight * tokens["weights"][i] * loss for i, (loss, _) in zip(inside, pairs)]
            for i in inside:
                gradient[i] = slopes
            continue
        for i in inside:
            loss, slope = token_loss(objective, tokens["advantages"][i], tokens["log_probs"][i], tokens["old_log_probs"][i])
            total.append(weight * tokens["weights"][i] * loss)
            gradient[i] = weight * tokens["weights"][i] * slope
    return {"loss": math.fsum(total), "gradient": gradient}


OBJECTIVES = ("ppo-clip", "gspo", "cispo", "importance-sampling", "dro", "cross-entropy", "rollout-correction", "rollout-correction-through-weight")
MODES = ("token-mean", "seq-mean-token-sum", "seq-mean-token-mean", "seq-mean-token-sum-norm", "sum")


def loss_cases() -> list[Case]:
    cases = []
    for advantage, ratio, loss in ((1, 1.5, -1.28), (1, 0.5, -0.5), (-1, 1.5, 1.5), (-1, 0.5, 0.8), (-1, 5, 3), (-2, 4, 6)):
        one = {"offsets": [0, 1], "mask": [1], "log_probs": [math.log(ratio) - 3], "old_log_probs": [-3.0], "advantages": [advantage], "weights": [1.0]}
        gradient = policy_loss(one, "ppo-clip", "token-mean", 1.0, 1)["gradient"]
        cases.append(case(f"published, A {advantage}, ratio {ratio}", "policy_loss", one, {"loss": loss, "gradient": gradient}, DR_KERNEL,
                          objective="ppo-clip", mode="token-mean", scale=1.0, max_length=1))
    for seed in range(2):
        tokens = random_tokens(seed)
        for objective in OBJECTIVES:
            for mode in MODES:
                options = {"objective": objective, "mode": mode, "scale": 10.0 if seed else 1.0, "max_length": 16}
                cases.append(case(f"{objective}, {mode}, tokens {seed}", "policy_loss", tokens, policy_loss(tokens, **options), **options))
    return cases


def kl_of(estimator: str, d: float) -> tuple[float, float]:
    return {"k1": (d, 1.0), "abs": (abs(d), math.copysign(1.0, d)), "k2": (d * d / 2, d), "k3": (math.exp(-d) - 1 + d, 1 - math.exp(-d))}[estimator]


def kl_cases() -> list[Case]:
    tokens = random_tokens(7)
    count = sum(tokens["mask"])
    cases = []
    for value_of in ("k1", "abs", "k2", "k3"):
        for gradient_of in (value_of, "k2"):
            pairs = [lp - ref for lp, ref in zip(tokens["log_probs"], tokens["old_log_probs"])]
            output = {"loss": math.fsum(kl_of(value_of, d)[0] / count for d, m in zip(pairs, tokens["mask"]) if m),
                      "gradient": [kl_of(gradient_of, d)[1] / count if m else 0.0 for d, m in zip(pairs, tokens["mask"])]}
            cases.append(case(f"{value_of}, gradient of {gradient_of}", "kl_loss", tokens, output, value_of=value_of, gradient_of=gradient_of))
    return cases


# Mismatch. train is log_probs, rollout old_log_probs.

def weights_of(tokens: dict[str, list[float]], level: str) -> list[float]:
    """The unbounded weight of each token's unit."""
    row_of = [row for row in range(len(tokens["offsets"]) - 1) for _ in range(tokens["offsets"][row], tokens["offsets"][row + 1])]
    d = [t - r for t, r in zip(tokens["log_probs"], tokens["old_log_probs"])]
    out = []
    for i, row in enumerate(row_of):
        same = {"token": lambda j: j == i, "turn": lambda j: row_of[j] == row, "turn-geometric": lambda j: row_of[j] == row}.get(
            level, lambda j: tokens["trajectories"][row_of[j]] == tokens["trajectories"][row])
        unit = [d[j] for j in range(len(d)) if tokens["mask"][j] and same(j)]
        total = math.fsum(unit) / (len(unit) if level in ("turn-geometric", "geometric") and unit else 1)
        out.append(math.exp(total) if tokens["mask"][i] else 0.0)
    return out


def mismatch_cases() -> list[Case]:
    tokens = random_tokens(9)
    mask = tokens["mask"]
    cases = []
    for level in ("token", "turn", "turn-geometric", "sequence", "geometric"):
        weights = weights_of(tokens, level)
        cases.append(case(f"truncated, {level}", "importance", tokens, [min(w, 2.0) if m else 0.0 for w, m in zip(weights, mask)],
                          level=level, lower=0.0, upper=2.0, outside="truncate"))
        cases.append(case(f"masked, {level}", "importance", tokens, [w if m and 0.5 <= w <= 2.0 else 0.0 for w, m in zip(weights, mask)],
                          level=level, lower=0.5, upper=2.0, outside="mask"))
        cases.append(case(f"rejected, {level}", "reject", tokens, [int(m and 0.8 <= w <= 1.25) for w, m in zip(weights, mask)],
                          level=level, lower=0.8, upper=1.25))
    d = [t - r for t, r, m in zip(tokens["log_probs"], tokens["old_log_probs"], mask) if m]
    clamped = [min(max(w, 0.5), 2.0) for w, m in zip(weights_of(tokens, "token"), mask) if m]
    rows = [[i for i in range(b, e) if mask[i]] for b, e in zip(tokens["offsets"], tokens["offsets"][1:])]
    train = [-mean([tokens["log_probs"][i] for i in row]) for row in rows if row]
    rollout = [-mean([tokens["old_log_probs"][i] for i in row]) for row in rows if row]
    sums = [math.fsum(tokens["log_probs"][i] - tokens["old_log_probs"][i] for i in row) for row in rows if row]
    cases.append(case("metrics", "mismatch_metrics", tokens, {
        "kl": -mean(d), "k3": mean([math.exp(x) - x - 1 for x in d]), "chi2_token": mean([math.exp(2 * x) - 1 for x in d]),
        "chi2_seq": mean([math.exp(2 * x) - 1 for x in sums]), "training_log_ppl": mean(train), "rollout_log_ppl": mean(rollout),
        "training_ppl": mean([math.exp(x) for x in train]), "rollout_ppl": mean([math.exp(x) for x in rollout]),
        "log_ppl_difference": mean([t - r for t, r in zip(train, rollout)]), "ppl_ratio": mean([math.exp(t - r) for t, r in zip(train, rollout)])}))
    cases.append(case("effective sample share", "effective_sample_share", tokens,
                      1 / mean([(w / mean(clamped)) ** 2 for w in clamped]), lower=0.5, upper=2.0))
    return cases


def metric_cases() -> list[Case]:
    cases = [case(f"pass@{k}, {c} of {n}", "pass_at_k", {"n": n, "solved": c, "k": k}, 1 - math.comb(n - c, k) / math.comb(n, k),
                  "Chen et al., arXiv 2107.03374") for n, c, k in ((1, 0, 1), (1, 1, 1), (8, 2, 1), (8, 2, 4), (200, 3, 100), (16, 15, 2))]
    cases += [case(f"keep probability at {x}", "keep_probability", {"coverage": x}, p, DR_KERNEL, threshold=0.3, ramp=ramp)
              for x, ramp, p in ((0.3, 0.1, 0.0), (0.35, 0.1, 0.5), (0.4, 0.1, 1.0), (1.0, 0.1, 1.0), (0.0, 0.1, 0.0), (0.3, 0.0, 1.0), (0.29, 0.0, 0.0))]
    return cases


# Rewards: facts, and what they earn.

OK = {"outcome": "ok", "format_ok": True, "compiled": True, "correct": True, "tests_passed": 5, "tests_total": 5}
WRONG = {"outcome": "fail", "format_ok": True, "compiled": True, "correct": False, "tests_passed": 2, "tests_total": 5}
UNBUILT = {"outcome": "fail", "format_ok": True, "compiled": False, "correct": False, "tests_passed": 0, "tests_total": 0}
NO_CODE = {"outcome": "fail", "format_ok": False, "compiled": False, "correct": False, "tests_passed": 0, "tests_total": 0}
DECOY = {"outcome": "rejected", "format_ok": True, "compiled": True, "correct": False, "tests_passed": 5, "tests_total": 5}


def reward_cases() -> list[Case]:
    def fast(speedup: float, coverage: float = 0.0, **more: Any) -> dict[str, Any]:
        return {**OK, "speedup": speedup, "coverage": coverage, **more}

    table = [
        ("drkernel", {}, fast(1.0, 0.5), 1.25, DR_KERNEL), ("drkernel", {}, fast(3.0, 1.0), 2.5, DR_KERNEL), ("drkernel", {}, fast(9.0, 1.0), 2.5, DR_KERNEL),
        ("drkernel", {}, WRONG, 0.0, DR_KERNEL), ("drkernel", {}, DECOY, 0.0, DR_KERNEL), ("drkernel", {"drkernel.speed_floor": 1.0}, fast(0.9), 0.5, DR_KERNEL),
        ("drkernel", {"drkernel.form": "faster"}, fast(1.01), 1.0, DR_KERNEL), ("drkernel", {"drkernel.form": "faster"}, fast(1.0), 0.5, DR_KERNEL),
        *[("drkernel", {"drkernel.form": "steps"}, facts, reward, DR_KERNEL) for facts, reward in
          ((DECOY, -1.0), (UNBUILT, -0.5), (WRONG, -0.3), (fast(3.0), 1.0), (fast(2.5), 0.8), (fast(1.5), 0.6), (fast(1.2), 0.4), (fast(1.0), 0.2), (fast(0.9), -0.1))],
        ("drkernel", {"drkernel.speedup_from": "low-end"}, fast(1.5, 0.0, speedup_low=1.1, speedup_high=2.0), 0.5 + 0.55, FORMULA),
        ("drkernel", {"drkernel.speedup_from": "distinct-from-one"}, fast(1.5, 0.0, speedup_low=0.9, speedup_high=2.0), 1.0, FORMULA),
        ("drkernel", {"drkernel.coverage": "scale-speed"}, fast(2.0, 0.25), 0.5 + 0.25, FORMULA),
        ("kevin", {}, fast(2.0), 2.3, "Kevin-32B"), ("kevin", {}, WRONG, 0.0, "Kevin-32B"), ("kevin", {}, fast(40.0), 10.3, "kernelbench-tinker: capped at 10"),
        ("kevin", {"kevin.speed_offset": 1.0}, fast(0.5), 0.3, "KernelBench RL, seed"), ("kevin", {"kevin.partial": True}, WRONG, 0.3 * 2 / 5, "cmsflash"),
        ("kevin", {"kevin.bad_format": -2.0}, NO_CODE, -2.0, "cmsflash"), ("kevin", {"kevin.not_compiled": -1.0}, UNBUILT, -1.0, "cmsflash"),
        ("staged", {}, {**WRONG, "code_length": 500, "has_thinking": True, "thinking_length": 2000}, 0.1 + 0.2 + 0.4 + 0.05 + 0.1, "KernelBench RL, seed"),
        ("staged", {}, {**OK, "code_length": 4250, "has_thinking": True, "thinking_length": 3000}, 0.1 + 0.2 + 1.0 + 0.025 + 0.085, "KernelBench RL, seed"),
        ("staged", {}, {**NO_CODE}, -0.01, "docs/methods.md: no extras without code"),
        ("staged", {"staged.extras_without_code": True}, {**NO_CODE}, -0.01 + 0.05 + 0.05, "KernelBench RL, seed"),
        ("staged", {"staged.speed_weight": 0.35, "staged.length_weight": 0.0, "staged.thinking_weight": 0.0}, fast(2.0), 1.3 + 0.35 * 0.5, "KernelBench RL, seed"),
        ("staged", {"staged.sparse": True, "staged.speed_weight": 0.5, "staged.length_weight": 0.0, "staged.thinking_weight": 0.0}, fast(16.0), 1.5, "KernelBench RL, seed"),
        ("expression", {"expression": "0.3 * correct + if(speedup > 1.05, min(speedup, 5), 0)"}, fast(1.5), 1.8, FORMULA),
        *[(preset, {}, {"outcome": "infra"}, None, "docs/methods.md: never a reward") for preset in ("drkernel", "kevin", "staged", "expression")],
    ]
    return [case(f"{preset} {number}", "reward", facts, reward, source, preset=preset, set=options)
            for number, (preset, options, facts, reward, source) in enumerate(table)]


def documents() -> dict[str, dict[str, Any]]:
    """File name to content."""
    nouns = {"advantages": advantage_cases, "losses": loss_cases, "kl": kl_cases, "mismatch": mismatch_cases, "metrics": metric_cases,
             "rewards": reward_cases}
    return {f"{noun}.json": {"noun": noun, "cases": make()} for noun, make in nouns.items()}


def text_of(document: dict[str, Any]) -> str:
    """One case a line, so that a change shows as a line."""
    lines = ",\n".join(json.dumps(one) for one in document["cases"])
    return f'{{"noun": {json.dumps(document["noun"])}, "cases": [\n{lines}\n]}}\n'


def main() -> None:
    for name, document in documents().items():
        (Path(__file__).parent / name).write_text(text_of(document), encoding="utf-8")
        print(f"{name}: {len(document['cases'])} cases")


if __name__ == "__main__":
    main()
