#!/usr/bin/env python3
"""Checks verdicts against docs/verdict.schema.json: `validate_verdicts.py FILE...`, a verdict a line.

A line {"id", "row", "error"} stands for a row that could not be judged, and counts as sound. Prints each fault as
`file:line: place: what is wrong`, then a count. Exit: 0 all sound, 1 not, 2 a file that cannot be read.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SCHEMA = Path(__file__).resolve().parent.parent / "docs" / "verdict.schema.json"


def faults(validator: Draft202012Validator, verdict: Any) -> Iterator[str]:
    """What is wrong with one verdict: `place: message`, sorted by place."""
    if isinstance(verdict, dict) and set(verdict) == {"id", "row", "error"}:
        return
    for error in sorted(validator.iter_errors(verdict), key=lambda error: list(map(str, error.absolute_path))):
        yield f"{'.'.join(map(str, error.absolute_path)) or 'verdict'}: {error.message[:300]}"


def faults_of_file(validator: Draft202012Validator, path: Path) -> Iterator[tuple[int, list[str]]]:
    """(line number, its faults) of every line that is not blank."""
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield number, list(faults(validator, json.loads(line)))
        except json.JSONDecodeError as error:
            yield number, [f"not JSON: {error}"]


def main(arguments: list[str]) -> int:
    if not arguments:
        print("usage: validate_verdicts.py FILE...", file=sys.stderr)
        return 2
    validator = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    lines = bad = 0
    for name in arguments:
        try:
            for number, found in faults_of_file(validator, Path(name)):
                lines += 1
                bad += bool(found)
                for fault in found:
                    print(f"{name}:{number}: {fault}")
        except (OSError, UnicodeDecodeError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 2
    print(f"{lines - bad} of {lines} verdicts follow the schema")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
