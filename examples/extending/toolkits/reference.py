from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy


def pull(mass: numpy.ndarray, position: numpy.ndarray) -> numpy.ndarray:
    apart = position[None] - position[:, None]
    return (mass[None] * apart / ((apart**2).sum(-1, keepdims=True) + 0.01) ** 1.5).sum(1)


class Reference:
    """Where the bodies are in the end: Runge and Kutta's method of fourth order, in steps four times as fine."""

    @dataclass
    class Input:
        bodies: list[list[float]]
        dt: float
        steps: int

    @dataclass
    class Output:
        bodies: list[list[float]]

    def run(self, input: Input, workspace: Path) -> Output:
        mass, x, v = numpy.split(numpy.array(input.bodies), [1, 4], axis=1)
        h = input.dt / 4
        for _ in range(4 * input.steps):
            k1, l1 = v, pull(mass, x)
            k2, l2 = v + h / 2 * l1, pull(mass, x + h / 2 * k1)
            k3, l3 = v + h / 2 * l2, pull(mass, x + h / 2 * k2)
            k4, l4 = v + h * l3, pull(mass, x + h * k3)
            x, v = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), v + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
        return self.Output(numpy.hstack([mass, x, v]).tolist())
