"""Disguises of a cheat: each makes another module out of a module, and leaves what it does as it was.

STEADY ones hide it: under another text (text.py), in another place (place.py), or both. TWO_FACED ones (two_faced.py)
show an honest face for part of the time.

Pure functions of text and a random source; standard library only. Adding one: write a function of a Cheat and a
random.Random that returns the new module, or a Skip with the reason, and name it in the dictionary of its file.
"""

from __future__ import annotations

import random
from dataclasses import replace

from .cheat import Cheat, Mutation, Skip
from .place import PLACES
from .text import TEXTS
from .two_faced import MARK, TWO_FACED

__all__ = ["MARK", "MUTATIONS", "STEADY", "TWO_FACED", "Cheat", "Mutation", "Skip"]


def mixed(cheat: Cheat, rng: random.Random) -> str | Skip:
    """Another place for the code, under another text."""
    placed = PLACES[rng.choice(sorted(PLACES))](cheat, rng)
    return placed if isinstance(placed, Skip) else TEXTS[rng.choice(sorted(TEXTS))](replace(cheat, source=placed), rng)


STEADY: dict[str, Mutation] = TEXTS | PLACES | {"mixed": mixed}
MUTATIONS: dict[str, Mutation] = STEADY | TWO_FACED
