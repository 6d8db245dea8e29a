"""A lane that several evaluations share, as on a GPU, shown on a CPU: everybody gets the verdict that he gets alone, whatever his neighbours do. Needs KGYM."""
from __future__ import annotations

import json
from pathlib import Path

from cli import RELU, TEMPLATE, WRONG_RELU, kgym, needs_binary

pytestmark = needs_binary

CRASH = TEMPLATE.format(body="if (i == 7) __builtin_trap(); y[i] = x[i];")
ENDLESS = TEMPLATE.format(body="for (volatile bool on = true; on;) {} y[i] = x[i];")
EXPECTED = {"relu": "ok", "wrong": "fail:numerical", "crash": "fail:crash", "endless": "fail:timeout"}
SOURCES = {"relu": RELU, "wrong": WRONG_RELU, "crash": CRASH, "endless": ENDLESS}


def test_neighbours_do_not_matter(tmp_path: Path) -> None:
    """One measures at a time and the others stand still meanwhile, which is not held against their time limits."""
    kinds = ["relu", "wrong", "relu", "crash", "relu", "endless", "relu", "wrong"]
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps({"id": f"{kind}.{i}", "problem": "level1/relu", "submission": SOURCES[kind] + f"# {i}\n"}) + "\n" for i, kind in enumerate(kinds)))
    ended = kgym("eval", rows, "--json", "--jobs", "8", "--set", "judge.at_once=4", "--set", "judge.pool=3", "--set", "limits.call=2s")
    verdicts = [json.loads(line) for line in ended.out.splitlines()]
    found = {verdict["submission"]["name"]: verdict["outcome"] for verdict in verdicts}
    assert len(found) == len(kinds)
    for name, outcome in found.items():
        assert outcome == EXPECTED[name.rpartition("/")[2].partition(".")[0]], (name, outcome)


def test_evaluations_of_one_problem_have_hosts_of_their_own(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps({"id": f"relu.{i}", "problem": "level1/relu", "submission": RELU + f"# {i}\n"}) + "\n" for i in range(4)))
    ended = kgym("eval", rows, "--json", "--jobs", "4", "--set", "judge.at_once=4", "--set", "judge.trace=true")
    verdicts = [json.loads(line) for line in ended.out.splitlines()]
    assert [verdict["outcome"] for verdict in verdicts] == ["ok"] * 4
    for verdict in verdicts:
        assert verdict["stages"]["asked"]["time"]["count"] >= 9 and verdict["stages"]["gate_ms"] >= 0
