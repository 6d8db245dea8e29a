"""What a mutation is given, and what it gives back. Plain values."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

@dataclass(frozen=True)
class Cheat:
    source: str
    outcome: str = "rejected:no-work"  # What it is expected to end in.
    honest: str | None = None  # An honest module for the same problem and backend, where there is one.


@dataclass(frozen=True)
class Skip:
    """Why a mutation does not apply."""

    reason: str


Mutation = Callable[[Cheat, random.Random], "str | Skip"]
