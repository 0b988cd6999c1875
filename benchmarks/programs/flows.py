"""Fluids and recurrences: many small updates, rows and columns, boundary values."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.programs.program import Arrays, Program, side_of


def _two_squares(random: np.random.Generator, elements: int) -> Arrays:
    n = side_of(elements, 2)
    return random.random((n, n)), random.random((n, n))


def _one_square(random: np.random.Generator, elements: int) -> Arrays:
    n = side_of(elements, 2)
    return (random.random((n, n)),)


def _line(random: np.random.Generator, elements: int) -> Arrays:
    return (random.random(elements),)


def _water(random: np.random.Generator, elements: int) -> Arrays:
    return 30 + 5 * random.random(elements), 20 * random.random(elements), random.random(elements)


def _pressure(xp: Any, p: Any, b: Any, iterations: int) -> Any:
    for _ in range(iterations):
        old = p.copy()
        p[1:-1, 1:-1] = (
            old[1:-1, 2:] + old[1:-1, :-2] + old[2:, 1:-1] + old[:-2, 1:-1] - b[1:-1, 1:-1]
        ) / 4
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0
    return p


def _step(xp: Any, u: Any, v: Any, p: Any) -> tuple[Any, Any]:
    old_u, old_v = u.copy(), v.copy()
    inner_u, inner_v = old_u[1:-1, 1:-1], old_v[1:-1, 1:-1]
    u[1:-1, 1:-1] = (
        inner_u
        - 0.01 * inner_u * (inner_u - old_u[1:-1, :-2])
        - 0.01 * inner_v * (inner_u - old_u[:-2, 1:-1])
        - 0.005 * (p[1:-1, 2:] - p[1:-1, :-2])
        + 0.02 * (old_u[1:-1, 2:] - 2 * inner_u + old_u[1:-1, :-2])
        + 0.02 * (old_u[2:, 1:-1] - 2 * inner_u + old_u[:-2, 1:-1])
    )
    v[1:-1, 1:-1] = (
        inner_v
        - 0.01 * inner_u * (inner_v - old_v[1:-1, :-2])
        - 0.01 * inner_v * (inner_v - old_v[:-2, 1:-1])
        - 0.005 * (p[2:, 1:-1] - p[:-2, 1:-1])
        + 0.02 * (old_v[1:-1, 2:] - 2 * inner_v + old_v[1:-1, :-2])
        + 0.02 * (old_v[2:, 1:-1] - 2 * inner_v + old_v[:-2, 1:-1])
    )
    return u, v


def _source(xp: Any, u: Any, v: Any) -> Any:
    b = xp.zeros_like(u)
    across = u[1:-1, 2:] - u[1:-1, :-2]
    along = v[2:, 1:-1] - v[:-2, 1:-1]
    b[1:-1, 1:-1] = 0.5 * (across + along) - 0.25 * (across**2 + along**2)
    return b


def cavity(xp: Any, u: Any, v: Any) -> Any:
    """Compute lid-driven cavity: momentum, pressure, walls."""
    u, v = 0.1 * xp.array(u), 0.1 * xp.array(v)
    p = xp.zeros_like(u)
    for _ in range(6):
        p = _pressure(xp, p, _source(xp, u, v), 8)
        u, v = _step(xp, u, v, p)
        for wall in (u, v):
            wall[0, :] = 0
            wall[:, 0] = 0
            wall[:, -1] = 0
            wall[-1, :] = 0
        u[-1, :] = 1  # the lid
    return u, v, p


def channel(xp: Any, u: Any, v: Any) -> Any:
    """Compute channel flow until it changes little, asked each time."""
    u, v = 0.1 * xp.array(u), 0.1 * xp.array(v)
    p = xp.zeros_like(u)
    change, iterations = 1.0, 0
    while change > 1e-3 and iterations < 6:
        before = u.copy()
        p = _pressure(xp, p, _source(xp, u, v), 4)
        u, v = _step(xp, u, v, p)
        u[1:-1, 1:-1] += 0.01
        u[0, :] = u[-1, :] = 0
        v[0, :] = v[-1, :] = 0
        change = (xp.sum(u) - xp.sum(before)) / xp.sum(u)
        iterations += 1
    return u, v


def adi(xp: Any, u: Any) -> Any:
    """Compute alternating directions: a tridiagonal solve along columns, then along rows."""
    u = xp.array(u)
    n = u.shape[0]
    for iteration in range(2):
        grid = u if iteration == 0 else u.T
        p, q = xp.zeros_like(u), xp.zeros_like(u)
        for j in range(1, n - 1):
            p[:, j] = 0.4 / (1.8 - 0.4 * p[:, j - 1])
            q[:, j] = (grid[j, :] + 0.4 * q[:, j - 1]) / (1.8 - 0.4 * p[:, j - 1])
        for j in range(n - 2, 0, -1):
            grid[:, j] = p[:, j] * grid[:, j + 1] + q[:, j]
    return u


def recursive_filter(xp: Any, image: Any) -> Any:
    """Compute a recursive filter along both directions of the rows."""
    y = xp.zeros_like(image)
    z = xp.zeros_like(image)
    n = image.shape[1]
    for j in range(1, n):
        y[:, j] = 0.3 * image[:, j] + 0.7 * y[:, j - 1]
    for j in range(n - 2, -1, -1):
        z[:, j] = 0.3 * image[:, j + 1] + 0.7 * z[:, j + 1]
    return y + z


def scalar_recurrence(xp: Any, x: Any) -> Any:
    """Compute each element from the one before it, one at a time."""
    z = xp.zeros(min(1000, x.shape[0]))
    for i in range(1, z.shape[0]):
        z[i] = z[i - 1] * 0.5 + x[i]
    return z


def element_reads(xp: Any, x: Any) -> Any:
    """Compute elements read and written by changing indices."""
    total = 0.0
    y = xp.array(x)
    for i in range(min(1000, x.shape[0])):
        total += float(y[i]) * 2
        if y[i] > 0.5:
            y[i] = 0.5
    return y, total


def mixing(xp: Any, salinity: Any, temperature: Any, pressure: Any) -> Any:
    """Compute mixing in an ocean model: some six hundred operations on one column of water each."""
    s, t, p = xp.abs(salinity), temperature, pressure
    root = xp.sqrt(s)
    density = 999.8 + t * (6.8e-2 - t * (9.1e-3 - t * (1.0e-4 - t * 1.1e-6)))
    density = density + s * (0.82 - t * (4.1e-3 - t * 7.6e-5)) + s * root * (-5.7e-3 + 1.0e-4 * t)
    energy = 0.5 + 0.1 * xp.sin(t)
    for level in range(1, 13):
        weight = 1.0 / level
        bulk = 19652.2 + t * (148.4 - t * (2.3 - t * 1.3e-2)) + p * weight * (3.2 + t * 1.4e-3)
        bulk = bulk + s * (54.7 - t * (0.6 - t * 1.1e-2)) + s * root * (7.9e-2 + 1.6e-2 * t)
        density = density / (1.0 - p * weight / bulk)
        shear = xp.maximum(1e-4, xp.abs(density - 1000.0) * 1e-2)
        richardson = xp.where(shear > 0.01, energy / shear, 100.0)
        length = xp.sqrt(2 * energy) / xp.maximum(1e-6, xp.sqrt(xp.abs(richardson)))
        viscosity = xp.minimum(10.0, 0.1 * length * xp.sqrt(energy))
        energy = energy + 1e-3 * (viscosity * shear - 0.7 * energy**1.5 / (length + 1e-6))
        energy = xp.maximum(energy, 1e-6)
    return density, energy


PROGRAMS = (
    Program("cavity", "lid-driven cavity", _two_squares, cavity),
    Program("channel", "channel flow", _two_squares, channel),
    Program("adi", "alternating directions", _one_square, adi, most=250_000),
    Program("recursive_filter", "recursive filter", _one_square, recursive_filter),
    Program("recurrence", "scalar recurrence", _line, scalar_recurrence),
    Program("elements", "element reads and writes", _line, element_reads),
    Program("mixing", "mixing step of an ocean model", _water, mixing, functional=mixing),
)
