"""Euler's step, which is of first order: too inaccurate."""
import numpy


def step(mass, position, velocity, dt):
    apart = position[None, :, :] - position[:, None, :]
    pull = numpy.einsum("j,ijk,ij->ik", mass, apart, ((apart * apart).sum(-1) + 0.01) ** -1.5)
    return position + dt * velocity, velocity + dt * pull
