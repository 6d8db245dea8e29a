from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy


def energy(bodies: numpy.ndarray) -> float:
    mass, position, velocity = numpy.split(bodies, [1, 4], axis=1)
    apart = numpy.sqrt(((position[None] - position[:, None]) ** 2).sum(-1) + 0.01)
    return float(0.5 * (mass * velocity**2).sum() - numpy.triu(mass * mass.T / apart, 1).sum())


class Score:
    """How far a simulation is from the reference, how much energy it made or lost, and how fast it was."""

    @dataclass
    class Input:
        start: list[list[float]]
        end: list[list[float]]
        reference: list[list[float]]
        cpu_ms: float
        baseline_cpu_ms: float
        most_error: float = 1e-3
        most_drift: float = 1e-4

    @dataclass
    class Output:
        accurate: bool
        error: float | None = None  # Root mean square distance.
        energy_drift: float | None = None  # Relative.
        speedup: float | None = None  # Over the baseline, where it is accurate.

    def run(self, input: Input, workspace: Path) -> Output:
        start, reference = numpy.array(input.start), numpy.array(input.reference)
        if [len(row) for row in input.end] != [7] * len(start):
            return self.Output(False)
        end = numpy.array(input.end)
        end[:, 0] = start[:, 0]  # The masses are not the submission's to change.
        error = float(numpy.sqrt(((end - reference)[:, 1:4] ** 2).sum(1).mean()))
        drift = abs(energy(end) / energy(start) - 1)
        accurate = error <= input.most_error and drift <= input.most_drift
        return self.Output(accurate, error, drift, input.baseline_cpu_ms / input.cpu_ms if accurate else None)
