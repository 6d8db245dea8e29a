#!/usr/bin/env python3
"""Bias and spread of baselines under rejection, by simulation: the table and the figure of docs/methods.md. Needs numpy; takes a second.

A group of 8 episodes of a two-armed policy (p = 0.5). Rejection keeps arm 1 with probability 0.9 and arm 0 with 0.5; an episode that is kept earns
`gap` more than a rejected one, whichever the arm. So among the kept no arm is better: the true gradient of their expected reward is 0.
"""
from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

GROUP, BATCHES = 8, 200_000
KEPT, ALL, OWN = "leave-one-out of the kept", "leave-one-out of all (published)", "mean of the kept"


def simulate(gap: float, baseline: str, seed: int = 1) -> tuple[float, float]:
    """Mean and standard deviation over batches of the gradient in the logit."""
    draw = np.random.default_rng(seed)
    arm = draw.random((BATCHES, GROUP)) < 0.5
    kept = draw.random((BATCHES, GROUP)) < np.where(arm, 0.9, 0.5)
    reward = np.where(kept, gap, 0.0) + draw.standard_normal((BATCHES, GROUP))
    counted = (np.ones_like(kept) if baseline == ALL else kept).astype(float)
    total, count = (reward * counted).sum(1, keepdims=True), counted.sum(1, keepdims=True)
    if baseline == OWN:
        advantage = reward - total / np.maximum(count, 1)
    else:
        advantage = np.where(count > 1, reward - (total - reward * counted) / np.maximum(count - counted, 1), 0.0)
    gradient = (advantage * kept * (arm - 0.5)).sum(1) / GROUP
    return float(gradient.mean()), float(gradient.std())


def predicted(gap: float, baseline: str) -> float:
    """(E[r | kept] - E[r]) times the gradient of P(kept), for the published baseline; 0 for the others."""
    return (gap - 0.7 * gap) * 0.25 * (0.9 - 0.5) if baseline == ALL else 0.0


def figure(rows: list[tuple[str, float, float, float]]) -> str:
    """Bars of the mean gradient, whose true value is 0, as SVG."""
    top, zero = max(abs(mean) for _, _, mean, _ in rows) or 1.0, 330
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="760" height="%d" font-family="sans-serif" font-size="13">' % (40 + 24 * len(rows)),
             '<text x="8" y="20">mean gradient where the true one is 0</text>']
    for index, (baseline, gap, mean, _) in enumerate(rows):
        y, width = 34 + 24 * index, max(1.0, 320 * abs(mean) / top)
        parts.append(f'<text x="8" y="{y + 13}">{baseline}, gap {gap:g}</text>'
                     f'<rect x="{zero - width * (mean < 0):.1f}" y="{y}" width="{width:.1f}" height="16" fill="#4a78b0"/>'
                     f'<text x="{zero + 10 + width * (mean > 0):.1f}" y="{y + 13}">{mean:+.4f}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    rows = [(baseline, gap, *simulate(gap, baseline)) for baseline in (KEPT, ALL, OWN) for gap in (0.0, 1.0, 2.0)]
    print("| baseline | gap | mean (true: 0) | predicted | standard error | spread of a batch |\n|---|---|---|---|---|---|")
    for baseline, gap, mean, spread in rows:
        print(f"| {baseline} | {gap:g} | {mean:+.5f} | {predicted(gap, baseline):+.3f} | {spread / BATCHES**0.5:.5f} | {spread:.3f} |")
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(figure(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
