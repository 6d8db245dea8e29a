from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy


class Scene:
    """Makes a cloud of bodies at random, at rest as a whole."""

    @dataclass
    class Input:
        seed: int
        count: int = 24

    @dataclass
    class Output:
        bodies: list[list[float]]  # Of each: mass, place (3), velocity (3).

    def run(self, input: Input, workspace: Path) -> Output:
        random = numpy.random.default_rng(input.seed)
        mass = random.uniform(0.5, 1.5, (input.count, 1)) / input.count
        position, velocity = random.normal(size=(input.count, 3)), 0.3 * random.normal(size=(input.count, 3))
        velocity -= (mass * velocity).sum(0) / mass.sum()
        return self.Output(numpy.hstack([mass, position, velocity]).tolist())
