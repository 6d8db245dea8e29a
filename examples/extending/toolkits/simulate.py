from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy

# What a submission is compared with: one pair of bodies after the other.
BASELINE = """
import numpy

def pull(mass, position):
    pulls = numpy.zeros_like(position)
    for i in range(len(mass)):
        for j in range(len(mass)):
            apart = position[j] - position[i]
            pulls[i] += mass[j] * apart / (apart @ apart + 0.01) ** 1.5
    return pulls

def step(mass, position, velocity, dt):
    half = velocity + dt / 2 * pull(mass, position)
    position = position + dt * half
    return position, half + dt / 2 * pull(mass, position)
"""


class Simulate:
    """Runs a submission's `step(mass, position, velocity, dt) -> (position, velocity)` many times."""

    @dataclass
    class Input:
        bodies: list[list[float]]
        dt: float
        steps: int
        submission: str = BASELINE

    @dataclass
    class Output:
        bodies: list[list[float]]

    def run(self, input: Input, workspace: Path) -> Output:
        names: dict[str, object] = {}
        exec(compile(input.submission, "submission.py", "exec"), names)
        mass, position, velocity = numpy.split(numpy.array(input.bodies), [1, 4], axis=1)
        path = [position[0]]
        for _ in range(input.steps):
            position, velocity = names["step"](mass[:, 0], position, velocity, input.dt)
            path.append(position[0])
        numpy.savetxt(workspace / "path_of_first.csv", path, delimiter=",")  # An artefact.
        return self.Output(numpy.hstack([mass, position, velocity]).tolist())
