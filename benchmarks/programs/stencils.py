"""Grids that are updated from their neighbours, in place and by slices."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.programs.program import Arrays, Program, side_of


def _line(random: np.random.Generator, elements: int) -> Arrays:
    return (random.random(elements),)


def _square(random: np.random.Generator, elements: int) -> Arrays:
    n = side_of(elements, 2)
    return (random.random((n, n)),)


def _cube(random: np.random.Generator, elements: int) -> Arrays:
    n = side_of(elements, 3)
    return (random.random((n, n, n)),)


def jacobi_1d(xp: Any, u: Any) -> Any:
    """Compute average of three neighbours, twenty times, between two arrays."""
    a, b = xp.array(u), xp.array(u)
    for _ in range(20):
        b[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
        a[1:-1] = (b[:-2] + b[1:-1] + b[2:]) / 3
    return a


def jacobi_2d(xp: Any, u: Any) -> Any:
    """Compute average of the four neighbours, twenty times, in place."""
    u = xp.array(u)
    for _ in range(20):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return u


def jacobi_2d_converging(xp: Any, u: Any) -> Any:
    """Compute the same until the largest change is small, asked each time."""
    u = xp.array(u)
    iterations = 0
    change = 1.0
    while change > 0.02 and iterations < 60:
        before = u.copy()
        u[1:-1, 1:-1] = 0.25 * (
            before[:-2, 1:-1] + before[2:, 1:-1] + before[1:-1, :-2] + before[1:-1, 2:]
        )
        change = float(xp.abs(u - before).max())
        iterations += 1
    return u


def heat_3d(xp: Any, u: Any) -> Any:
    """Compute explicit heat equation on a cube."""
    u = xp.array(u)
    for _ in range(8):
        inner = u[1:-1, 1:-1, 1:-1]
        laplacian = (
            u[2:, 1:-1, 1:-1]
            + u[:-2, 1:-1, 1:-1]
            + u[1:-1, 2:, 1:-1]
            + u[1:-1, :-2, 1:-1]
            + u[1:-1, 1:-1, 2:]
            + u[1:-1, 1:-1, :-2]
            - 6 * inner
        )
        u[1:-1, 1:-1, 1:-1] = inner + 0.1 * laplacian
    return u


def red_black(xp: Any, u: Any) -> Any:
    """Compute gauss-Seidel in two colours, by strided slices."""
    u = xp.array(u)
    for _ in range(10):
        for row in (1, 2):
            for column in (1, 2):
                rows, columns = slice(row, -1, 2), slice(column, -1, 2)
                up = u[row - 1 : -2 : 2, columns]
                down = u[row + 1 :: 2, columns]
                left = u[rows, column - 1 : -2 : 2]
                right = u[rows, column + 1 :: 2]
                n = min(up.shape[0], down.shape[0])
                m = min(left.shape[1], right.shape[1])
                target = u[rows, columns][:n, :m]
                target[...] = 0.25 * (up[:n, :m] + down[:n, :m] + left[:n, :m] + right[:n, :m])
    return u


def wave_2d(xp: Any, u: Any) -> Any:
    """Compute leapfrog for the wave equation, three time levels."""
    before, now = xp.array(u), xp.array(u)
    for _ in range(15):
        after = xp.zeros_like(now)
        after[1:-1, 1:-1] = (
            2 * now[1:-1, 1:-1]
            - before[1:-1, 1:-1]
            + 0.2
            * (
                now[2:, 1:-1]
                + now[:-2, 1:-1]
                + now[1:-1, 2:]
                + now[1:-1, :-2]
                - 4 * now[1:-1, 1:-1]
            )
        )
        before, now = now, after
    return now


def advection(xp: Any, u: Any) -> Any:
    """Compute upwind advection with periodic ends."""
    u = xp.array(u)
    for _ in range(20):
        u = u - 0.4 * (u - xp.roll(u, 1))
    return u


def fdtd(xp: Any, hz: Any) -> Any:
    """Compute maxwell's equations on a staggered grid."""
    hz = xp.array(hz)
    ex, ey = xp.zeros_like(hz), xp.zeros_like(hz)
    for iteration in range(12):
        ey[0, :] = iteration
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return hz


def life(xp: Any, cells: Any) -> Any:
    """Compute the Game of Life on a torus."""
    cells = xp.array(cells > 0.5)
    for _ in range(10):
        n = cells.astype("int8")
        neighbours = sum(
            xp.roll(n, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)
        )
        cells = (neighbours == 3) | (cells & (neighbours == 2))
    return cells


def convolution(xp: Any, image: Any) -> Any:
    """Compute a filter of five by five as a loop over offsets."""
    taps = np.outer([1, 4, 6, 4, 1], [1, 4, 6, 4, 1]) / 256
    height, width = image.shape[0] - 4, image.shape[1] - 4
    out = xp.zeros((height, width))
    for i in range(5):
        for j in range(5):
            out += taps[i, j] * image[i : i + height, j : j + width]
    return out


PROGRAMS = (
    Program("jacobi_1d", "Jacobi in one dimension", _line, jacobi_1d),
    Program("jacobi_2d", "Jacobi in two dimensions", _square, jacobi_2d),
    Program("jacobi_test", "Jacobi with a convergence test", _square, jacobi_2d_converging),
    Program("heat_3d", "heat equation in three dimensions", _cube, heat_3d),
    Program("red_black", "Gauss-Seidel, red and black", _square, red_black),
    Program("wave_2d", "wave equation", _square, wave_2d),
    Program("advection", "upwind advection", _line, advection, functional=advection),
    Program("fdtd", "finite differences in the time domain", _square, fdtd),
    Program("life", "Game of Life", _square, life, functional=life),
    Program("convolution", "convolution by a loop over offsets", _square, convolution),
)
