"""Verdicts of each kind follow docs/verdict.schema.json, and say what the schema cannot. Needs KGYM, the built binary."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli import RELU, ROOT, TORCH_RELU, WRONG_RELU, kgym, needs_binary, write

jsonschema = pytest.importorskip("jsonschema")

SCHEMA = json.loads((ROOT / "docs" / "verdict.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def judged(tmp_path: Path, source: str | bytes, *arguments: str) -> dict[str, Any]:
    """The verdict on a submission for level1/relu; it follows the schema and the exit code follows it."""
    ended = kgym("eval", "level1/relu", write(tmp_path, "submission.py", source), "--json", *arguments)
    verdict = ended.json()
    VALIDATOR.validate(verdict)
    assert ended.code == {"ok": 0, "infra": 3}.get(verdict["outcome"], 1)
    return verdict


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@needs_binary
def test_ok(tmp_path: Path) -> None:
    verdict = judged(tmp_path, RELU)
    assert verdict["outcome"] == "ok", verdict["reason"]
    low, high = verdict["speedup_interval"]
    assert low <= verdict["speedup"] <= high
    assert verdict["timing"]["candidate"]["median_ms"] == verdict["candidate_ms"]
    assert verdict["provenance"]["sandbox"]["steps"]


@needs_binary
def test_ok_without_a_time(tmp_path: Path) -> None:
    verdict = judged(tmp_path, RELU, "--set", "timing.enabled=false")
    assert verdict["outcome"] == "ok"
    assert all(verdict[field] is None for field in ("speedup", "speedup_interval", "reference_ms", "candidate_ms", "timing"))


@needs_binary
@pytest.mark.parametrize(
    ("source", "outcome"),
    [
        (WRONG_RELU, "fail:numerical"),
        (RELU.replace("n) {", "n) { oops"), "fail:compile"),
        ("import nothing_of_this_name\n", "fail:load"),
        ("", "fail:format"),
        (b"# \xff\xfe\n" + RELU.encode(), "fail:format"),
        ("#" + "x" * (10 << 20), "fail:format"),
        (TORCH_RELU, "rejected:reference-call"),
    ],
    ids=["numerical", "compile", "load", "empty", "not-utf8", "10-MiB", "reference-call"],
)
def test_other_outcomes(tmp_path: Path, source: str | bytes, outcome: str) -> None:
    verdict = judged(tmp_path, source)
    assert verdict["outcome"] == outcome, verdict["reason"]
    assert verdict["speedup"] is None and verdict["evidence"]["stage"]


@needs_binary
def test_infra(tmp_path: Path) -> None:
    assert judged(tmp_path, RELU, "--set", "judge.inject=reference-dies")["outcome"] == "infra"


@needs_binary
def test_a_bad_problem_has_no_verdict(tmp_path: Path) -> None:
    problem = write(tmp_path, "problem.py", "class Model: pass\n")
    ended = kgym("eval", problem, write(tmp_path, "submission.py", RELU), "--json")
    assert ended.code == 2 and set(ended.json()) == {"error"}


def test_the_script_that_validates(tmp_path: Path) -> None:
    script = ROOT / "scripts" / "validate_verdicts.py"
    sound = write(tmp_path, "sound.jsonl", '{"id": "a", "row": 1, "error": "f:1: x"}\n\n')
    bad = write(tmp_path, "bad.jsonl", '{"outcome": "fine"}\nnot json\n')
    run = lambda *files: subprocess.run([sys.executable, script, *files], capture_output=True, text=True, check=False)  # noqa: E731
    assert run(sound).returncode == 0
    told = run(sound, bad)
    assert told.returncode == 1 and f"{bad}:1: outcome: 'fine' is not one of" in told.stdout and f"{bad}:2: not JSON" in told.stdout
    assert told.stdout.endswith("1 of 3 verdicts follow the schema\n")
    assert run(tmp_path / "none").returncode == 2
