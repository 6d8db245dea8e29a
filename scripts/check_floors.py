#!/usr/bin/env python3
"""Checks that no file of a floor includes a file of a floor above it.

The floors are the folders of src/, lowest first: base, judge, service, gym, learn, apps. Prints each upward include as
`file:line: ...` and exits 1 if there is one.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

FLOORS = ("base", "judge", "service", "gym", "learn", "apps")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
UPWARD = re.compile(r"(^|/)\.\.(/|$)")


def faults(source: Path) -> Iterator[str]:
    """The faults of every file under `source` (the folder src/)."""
    for floor in sorted(path.name for path in source.iterdir() if path.is_dir()):
        if floor not in FLOORS:
            yield f"{source / floor}: unknown floor; one of {', '.join(FLOORS)} is expected"
    for rank, floor in enumerate(FLOORS):
        above = FLOORS[rank + 1 :]
        for file in sorted((source / floor).rglob("*")):
            if file.suffix in (".h", ".cc", ".c"):
                yield from faults_of_file(file, floor, above)


def faults_of_file(file: Path, floor: str, above: tuple[str, ...]) -> Iterator[str]:
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        match = INCLUDE.match(line)
        if match is None:
            continue
        included = match.group(1)
        if UPWARD.search(included):
            yield f'{file}:{number}: "{included}" climbs out of its folder; name it from src/ on'
        elif included.split("/")[0] in above:
            yield f'{file}:{number}: floor {floor} may not include "{included}", which lies above it'


def main() -> int:
    found = list(faults(Path(__file__).resolve().parent.parent / "src"))
    print("\n".join(found) if found else "floors: no upward include")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
