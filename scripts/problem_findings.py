"""Writes what `kgym problems check --out FILE` found as a table: a row a finding, with the problems that have it.

    python scripts/problem_findings.py found.jsonl
"""
from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from typing import Any

# Sizes and figures of one problem are left out, so that one fault is one row.
_FIGURES = [(r"^output\S* ", "an output "), (r"within 1%", "within a hundredth"), (r" input \d+", " an input"),
            (r"-?\d[\d.]*(e[+-]?\d+)?( (GB|ms|MiB))?", "…")]
_SHORT = {
    "too_big": "an evaluation does not fit on a card of 80 GB",
    "too_small": "a perfect kernel is shorter than its launch",
    "unfinished": "not looked at to the end",
    "small_signal": "zeros, or one number everywhere, pass an absolute tolerance of 1e-4",
    "hidden_state": "changes its own buffers, or answers otherwise on a second call",
    "precision": "products of operands rounded to TF32 are within tolerance",
    "fixed_inputs": "its inputs do not change with the seed",
    "insensitive": "a sixteenth of an input may be exchanged unnoticed",
}


def _number(name: str) -> tuple[int, int]:
    """level1/23_Softmax.py -> (1, 23)"""
    level, number = re.match(r"level(\d+)/(\d+)", name).groups()
    return int(level), int(number)


def _told(finding: dict[str, Any]) -> str:
    kind, message = finding["kind"], finding["message"]
    if kind in _SHORT:
        return _SHORT[kind]
    if kind in ("parameter_ignored", "trivial_parameter"):
        return {"p": "has weights or buffers that do not matter", "t": "has weights of all zeros or ones, which may be left out"}[kind[0]]
    if kind == "redundant_operator":
        return message.split(":")[0]
    for pattern, instead in _FIGURES:
        message = re.sub(pattern, instead, message)
    return message


def main(path: str) -> None:
    groups: dict[tuple[str, str, str], list[tuple[int, int]]] = defaultdict(list)
    clean, total = 0, 0
    with open(path, encoding="utf-8") as file:
        for row in map(json.loads, file):
            total += 1
            clean += not row["findings"]
            for finding in row["findings"]:
                groups[finding["kind"], finding["severity"], _told(finding)].append(_number(row["name"]))
    print(f"{total} problems, {clean} without a finding.\n")
    print("| finding | | what | problems |\n|---|---|---|---|")
    for (kind, severity, what), found in sorted(groups.items(), key=lambda g: (g[0][1], g[0][0], g[0][2])):
        names = ", ".join(f"{level}/{number}" for level, number in sorted(set(found)))
        print(f"| `{kind}` | {severity} | {what} | {names} |")


if __name__ == "__main__":
    main(sys.argv[1])
