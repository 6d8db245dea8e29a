"""A short run of bench/service_chaos.py: processes are killed while tasks come in, and nothing is lost or ends twice."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli import BINARY, ROOT, needs_binary

LIMIT_S = 600


@needs_binary
@pytest.mark.parametrize("queue", ["embedded", "redis"])
def test_everything_accepted_ends_once(queue: str, tmp_path: Path) -> None:
    if queue == "redis" and not shutil.which("redis-server"):
        pytest.skip("there is no redis-server")
    report = tmp_path / "report.json"
    command = [sys.executable, ROOT / "bench" / "service_chaos.py", "--kgym", Path(BINARY).resolve(), "--queue", queue, "--minutes", "0.25", "--tasks", "300", "--gap", "0.7", "--json", report]
    ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    told = json.loads(report.read_text())
    assert told["states"] == {"done": 300} and not told["lost"] and not told["ended_otherwise_when_asked_again"]
    assert any(fault.startswith("kill -9") for fault in told["faults"]) and told["dates_stepped"] == "yes", told
