#!/usr/bin/env python3
"""Does profile-based rejection (PRS) make a policy climb to hard large gains? A simulated bandit: the table and the figure of docs/methods.md.

A policy chooses a way to optimise, and then succeeds with it or not; both are its own actions, so that both have a logit and get a gradient, and skill
grows with success. Of the ways, `easy` is a small kernel beside library calls (1.1x, coverage 0.05; starts at nine choices in ten), `hard` a rewrite (3x,
coverage 1; starts at one choice in ten and one success in four), `middle`, where there is one, a modest kernel of the policy's own (1.5x, coverage 0.8,
one choice in ten, two successes in three). Rewards are Dr. Kernel's. Rows go through kgym's own prs() and rejected_advantages().

Prints for each setting and treatment the share of hard in the end and, in brackets, the share of its tries that succeed: means of 32 runs. Needs kgym
(pip install ./python/kgym) and numpy; takes half a minute. An argument is where the figure goes.
"""
from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import kgym

SEEDS, GROUP, STEPS, RATE = 32, 16, 4000, 0.5
SPEEDUP, COVERAGE, START, SKILL = np.array([1.1, 3.0, 1.5]), np.array([0.05, 1.0, 0.8]), np.array([0.8, 0.1, 0.1]), np.array([0.98, 0.25, 0.67])


@dataclass(frozen=True)
class Setting:
    name: str
    easy_skill: float = 1.0  # 1: easy never fails.
    middle: bool = False
    skill_rate: float = 0.1  # Of RATE: what to do is learnt sooner than how. 0: one success in four stays that.


@dataclass(frozen=True)
class Treatment:
    name: str
    rejects: bool = False
    baseline: str = "accepted"
    pays_coverage: bool = False  # PR: coverage is part of the reward.
    until: float = 1.0  # The share of the steps after which PRS is off.


SETTINGS = (Setting("skill fixed", skill_rate=0), Setting("skill grows"), Setting("skill grows fast", skill_rate=0.3),
            Setting("easy fails 1 in 20, skill fixed", easy_skill=0.95, skill_rate=0), Setting("easy fails 1 in 20, skill grows", easy_skill=0.95),
            Setting("middle, skill grows", middle=True), Setting("middle, skill grows fast", middle=True, skill_rate=0.3))
PRS = Treatment("PRS", rejects=True)
TREATMENTS = (Treatment("none"), Treatment("PR", pays_coverage=True), PRS, replace(PRS, name="PRS, published baseline", baseline="all"),
              replace(PRS, name="PRS, then none", until=1 / 3), replace(PRS, name="PR and PRS", pays_coverage=True))


def softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def train(setting: Setting, treatment: Treatment) -> tuple[np.ndarray, np.ndarray]:
    """Shares [steps, seeds, ways] of the choices, and the skills in the end [seeds, ways]."""
    draw = np.random.default_rng(7)
    ways = 3 if setting.middle else 2
    choice = np.tile(np.log(START[:ways]), (SEEDS, 1))
    skills = np.clip(SKILL[:ways], None, 1 - 1e-9)
    skill = np.tile(np.log(skills / (1 - skills)), (SEEDS, 1))
    groups, turns = np.repeat(np.arange(SEEDS, dtype=np.int64), GROUP), np.ones(SEEDS * GROUP, dtype=np.int64)
    history = np.empty((STEPS, SEEDS, ways))
    for step in range(STEPS):
        shares, success = softmax(choice), 1 / (1 + np.exp(-skill))
        success[:, 0] = setting.easy_skill
        history[step] = shares
        way = (draw.random((SEEDS, GROUP, 1)) > np.cumsum(shares, 1)[:, None, :-1]).sum(2)
        correct = draw.random((SEEDS, GROUP)) < np.take_along_axis(success, way, 1)
        coverage = np.where(correct, COVERAGE[way], 0.0)
        reward = np.where(correct, 0.5 + 0.5 * SPEEDUP[way] + treatment.pays_coverage * 0.5 * coverage, 0.0)
        accepted = np.ones(SEEDS * GROUP, dtype=bool)
        if treatment.rejects and step < treatment.until * STEPS:
            accepted, _ = kgym.prs(coverage.ravel(), correct.ravel(), np.arange(SEEDS * GROUP, dtype=np.int64), turns, step)
        advantage = kgym.rejected_advantages(reward.ravel(), groups, turns, accepted=accepted, baseline=treatment.baseline).reshape(SEEDS, GROUP, 1) / GROUP
        chosen = np.eye(ways)[way]
        choice += RATE * (advantage * (chosen - shares[:, None])).sum(1)
        skill += setting.skill_rate * RATE * (advantage * chosen * (correct[..., None] - success[:, None])).sum(1)
    return history, 1 / (1 + np.exp(-skill))


COLOURS = ("#888888", "#d08a2e", "#2a6fb0", "#b03a3a", "#2f8f57", "#7a55a8")


def figure(panels: list[tuple[str, list[np.ndarray]]]) -> str:
    """The share of hard by step, a panel for each setting, a curve for each treatment, as SVG; the legend is where a panel more would be."""
    width, height, across, apart = 230, 120, 3, 2
    curves_height = height - apart * (len(TREATMENTS) + 1)
    place = [(30 + index % across * (width + 30), 24 + index // across * (height + 46)) for index in range(len(panels) + 1)]
    size = f'width="{across * (width + 30) + 10}" height="{place[-1][1] + height + 20}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">']
    for (name, curves), (left, top) in zip(panels, place, strict=False):
        parts.append(f'<text x="{left}" y="{top - 6}">{name}</text><rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#bbb"/>')
        for x, y, anchor, label in ((left - 5, top + 14, "end", "1"), (left - 5, top + height - 4, "end", "0"), (left, top + height + 13, "start", "0"),
                                    (left + width, top + height + 13, "end", f"{STEPS}")):
            parts.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="10" fill="#666">{label}</text>')
        for index, (colour, curve) in enumerate(zip(COLOURS, curves, strict=True)):
            picked = curve[:: max(1, STEPS // 80)]
            first = top + apart * (index + 1)  # Each a little lower than the one before: many coincide.
            points = " ".join(f"{left + width * i / (len(picked) - 1):.1f},{first + curves_height * (1 - share):.1f}" for i, share in enumerate(picked))
            parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
    left, top = place[-1]
    for index, (colour, treatment) in enumerate(zip(COLOURS, TREATMENTS, strict=True)):
        y = top + 4 + 16 * index
        parts.append(f'<rect x="{left}" y="{y}" width="16" height="4" fill="{colour}"/><text x="{left + 22}" y="{y + 6}">{treatment.name}</text>')
    for y, line in ((top + 106, "share of hard by step; each curve is a little lower"), (top + 120, "than the one before, since many coincide")):
        parts.append(f'<text x="{left}" y="{y}" fill="#666">{line}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    print("| | " + " | ".join(treatment.name for treatment in TREATMENTS) + " |\n|---|" + "---|" * len(TREATMENTS))
    panels = []
    for setting in SETTINGS:
        cells, curves = [], []
        for treatment in TREATMENTS:
            history, skill = train(setting, treatment)
            curves.append(history[:, :, 1].mean(1))
            cells.append(f"{history[-1, :, 1].mean():.2f} ({skill[:, 1].mean():.2f})")
        print(f"| {setting.name} | " + " | ".join(cells) + " |", flush=True)
        panels.append((setting.name, curves))
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(figure(panels), encoding="utf-8")


if __name__ == "__main__":
    main()
