"""`kgym problems check` as a program uses it: a line a problem whatever becomes of it, in order, with repairs. Needs KGYM, the built binary."""

from __future__ import annotations

import json
from pathlib import Path

from cli import kgym, needs_binary, write

pytestmark = needs_binary

PROBLEM = """\
import torch
from torch import nn

batch_size, width = 1 << 15, 1 << 15


class Model(nn.Module):
    def forward(self, x):
        {forward}


def get_inputs():
    return [torch.{draw}(batch_size, width)]


def get_init_inputs():
    return []
"""


def test_a_line_a_problem_whatever_becomes_of_it(tmp_path: Path) -> None:
    level = tmp_path / "KernelBench" / "level1"
    level.mkdir(parents=True)
    dies = "os._exit(7) if type(x) is torch.Tensor else None"  # Not where sizes are only counted.
    write(level, "1_Dies.py", "import os\n" + PROBLEM.format(forward=dies, draw="randn"))
    write(level, "2_Sound.py", PROBLEM.format(forward="return torch.sin(3 * x)", draw="randn"))
    write(level, "3_Copies.py", PROBLEM.format(forward="return torch.relu(x)", draw="rand"))
    write(level, "4_Raises.py", PROBLEM.format(forward="raise ValueError('planted')", draw="randn").replace("1 << 15, 1 << 15", "64, 64"))
    source = ("--suite", "kernelbench", "--root", tmp_path)
    out = tmp_path / "found.jsonl"
    ended = kgym("problems", "check", *source, "--fit", "--jobs", "2", "--json", "--out", out)
    assert ended.code == 1 and ended.lines() == [json.loads(line) for line in out.read_text().splitlines()]
    dies, sound, copies, raises = ended.lines()
    assert [f["kind"] for f in dies["findings"]] == ["does_not_run"]
    assert [f for f in sound["findings"] if f["kind"] != "too_big"] == [] and sound["sizes"]["batch_size"] < 1 << 15
    assert next(f["repair"]["confirmed"] for f in copies["findings"] if f["kind"] == "trivial_answer")
    assert raises["findings"] == [{"kind": "does_not_run", "severity": "error", "message": "ValueError: planted"}]


def test_what_is_too_big_is_refused(tmp_path: Path) -> None:
    large = write(tmp_path, "large.py", PROBLEM.format(forward="return torch.sin(3 * x)", draw="randn"))
    ended = kgym("problems", "check", large)
    assert ended.code == 1 and "too_big: it needs" in ended.out and "repair: smaller sizes: batch_size = " in ended.out
