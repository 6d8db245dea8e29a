#!/usr/bin/env python3
"""Runs fuzz targets one after the other under libFuzzer, and keeps what was run and found.

    run.py BIN_FOLDER [TARGET...] [--seconds 60] [--work FOLDER] [--out FILE.json]

Each target starts from its corpus and from what earlier runs left in FOLDER/<target>; inputs that fail are kept in FOLDER/<target>.found. FILE gets one
row a target; rows of other targets stay as they are. Ends with 1 where something was found.
"""
from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
CORPORA = [HERE / "corpus", HERE.parents[1] / "service" / "fuzz" / "corpus"]
MOST_BYTES = 200_000  # Of an input: a little more than a packet holds.
SLOWEST_S = 5  # For one input; with the sanitizers everything takes some ten times as long.
MEMORY_MB = 2048


@dataclass
class Row:
    """What one run was. Coverage counts edges of the program, features those with how often they were taken."""
    target: str
    seconds: int
    executions: int
    executions_per_s: int
    coverage: int
    features: int
    corpus: int
    slowest_s: int
    peak_memory_mb: int
    findings: list[str]


def last_number(text: str, pattern: str) -> int:
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def run(program: Path, target: str, seconds: int, work: Path) -> Row:
    kept, found = work / target, work / (target + ".found")
    for folder in (kept, found):
        folder.mkdir(parents=True, exist_ok=True)
    command = [str(program), f"-max_total_time={seconds}", f"-max_len={MOST_BYTES}", f"-timeout={SLOWEST_S}", f"-rss_limit_mb={MEMORY_MB}",
               f"-dict={HERE / 'hostile.dict'}", f"-artifact_prefix={found}/", "-print_final_stats=1", str(kept), *(str(corpus / target) for corpus in CORPORA if (corpus / target).is_dir())]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    log = done.stderr
    (work / (target + ".log")).write_text(log)
    findings = re.findall(r"^(?:SUMMARY: .*|.*check failed.*)$", log, re.M) if done.returncode else []
    return Row(target, last_number(log, r"Done \d+ runs in (\d+) second") or seconds, last_number(log, r"stat::number_of_executed_units:\s*(\d+)"),
               last_number(log, r"stat::average_exec_per_sec:\s*(\d+)"), last_number(log, r"cov: (\d+)"), last_number(log, r"ft: (\d+)"),
               last_number(log, r"corp: (\d+)"), last_number(log, r"stat::slowest_unit_time_sec:\s*(\d+)"), last_number(log, r"stat::peak_rss_mb:\s*(\d+)"),
               findings or ([f"ended with {done.returncode}"] if done.returncode else []))


def keep(row: Row, out: Path) -> None:
    report = json.loads(out.read_text()) if out.exists() else {}
    rows = [old for old in report.get("targets", []) if old["target"] != row.target] + [asdict(row)]
    report["targets"] = sorted(rows, key=lambda each: each["target"])
    out.write_text(json.dumps(report, indent=1) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=Path)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--work", type=Path, default=Path("build/fuzzing"))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    bad = 0
    for target in options.targets or sorted(folder.name for corpus in CORPORA for folder in corpus.iterdir()):
        row = run(options.bin / f"{target}_fuzz", target, options.seconds, options.work)
        print(json.dumps(asdict(row)), flush=True)
        bad |= bool(row.findings)
        if options.out:
            keep(row, options.out)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
