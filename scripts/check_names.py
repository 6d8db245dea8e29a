#!/usr/bin/env python3
"""Checks that each name is defined once: no class, struct or enum of the same namespace in two headers of src/.

Two definitions of one name link without a word and then misbehave. Prints `name: defined in <places>` for each and
exits 1 if there is one. Names inside other types and those of .cc files (which are in unnamed namespaces) do not count.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

NAMESPACE = re.compile(r"^namespace ([\w:]+) \{")
END = re.compile(r"^\}  // namespace (?P<name>[\w:]+)?")
DEFINITION = re.compile(r"^(?:class|struct|enum class|enum) (?:\[\[\w+\]\] )?(\w+)(?: final)?(?: *:[^;]*)?(?: \{|$)")


def definitions(header: Path) -> list[tuple[str, str]]:
    """(qualified name, place) of every type that `header` defines at namespace scope."""
    found = []
    scopes: list[str] = []
    for number, line in enumerate(header.read_text(encoding="utf-8").splitlines(), start=1):
        if match := NAMESPACE.match(line):
            scopes.append(match.group(1))
        elif END.match(line) and scopes:
            scopes.pop()
        elif match := DEFINITION.match(line):
            found.append(("::".join([*scopes, match.group(1)]), f"{header}:{number}"))
    return found


def main() -> int:
    source = Path(__file__).resolve().parent.parent / "src"
    places: dict[str, list[str]] = defaultdict(list)
    for header in sorted(source.rglob("*.h")):
        for name, place in definitions(header):
            places[name].append(place)
    twice = {name: where for name, where in places.items() if len({place.split(":")[0] for place in where}) > 1}
    for name, where in sorted(twice.items()):
        print(f"{name}: defined in {', '.join(where)}")
    if not twice:
        print(f"names: {len(places)} types, each defined once")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())
