"""Programs in place: along a series, over a lattice, through a matrix and down a wavelet."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.programs.program import Arrays, Program, side_of


def _series(random: np.random.Generator, elements: int) -> Arrays:
    return (random.standard_normal(elements),)


def _lattice(random: np.random.Generator, elements: int) -> Arrays:
    n = side_of(elements, 2)
    return (random.random((n, n)) < 0.55,)


def _tall(random: np.random.Generator, elements: int) -> Arrays:
    return (random.standard_normal((max(20, elements // 16), 16)),)


def residuals(xp: Any, y: Any) -> Any:
    """Compute residuals of an autoregressive model with a moving average, one after another."""
    e = xp.zeros(min(1000, y.shape[0]))
    for t in range(2, e.shape[0]):
        e[t] = y[t] - 0.5 * y[t - 1] + 0.2 * y[t - 2] - 0.3 * e[t - 1]
    return e, float((e**2).sum())


def percolation(xp: Any, site: Any) -> Any:
    """Compute labels of clusters, which the largest one around spreads over."""
    label = xp.where(site, xp.arange(site.size).reshape(site.shape) + 1, 0)
    for _ in range(10):
        before = label.copy()
        label[1:, :] = xp.maximum(label[1:, :], label[:-1, :])
        label[:-1, :] = xp.maximum(label[:-1, :], label[1:, :])
        label[:, 1:] = xp.maximum(label[:, 1:], label[:, :-1])
        label[:, :-1] = xp.maximum(label[:, :-1], label[:, 1:])
        label[~site] = 0
        if xp.array_equal(before, label):
            break
    return label


def householder(xp: Any, table: Any) -> Any:
    """Compute the triangle of a QR decomposition by reflections."""
    r = xp.array(table)
    columns = r.shape[1]
    for k in range(columns):
        x = r[k:, k].copy()
        x[0] += xp.copysign(xp.linalg.norm(x), x[0])
        v = x / xp.linalg.norm(x)
        r[k:, k:] -= 2 * xp.outer(v, v @ r[k:, k:])
    return xp.triu(r[:columns])


def lifting(xp: Any, x: Any) -> Any:
    """Compute a wavelet transform by lifting, in place."""
    x = xp.array(x)
    n = x.shape[0] // 16 * 16
    for _ in range(4):
        even, odd = x[:n:2].copy(), x[1:n:2].copy()
        odd[:-1] -= 0.5 * (even[:-1] + even[1:])
        odd[-1] -= even[-1]
        even[1:] += 0.25 * (odd[:-1] + odd[1:])
        even[0] += 0.5 * odd[0]
        x[: n // 2], x[n // 2 : n] = even, odd
        n //= 2
    return x


PROGRAMS = (
    Program("residuals", "residuals of a series", _series, residuals),
    Program("percolation", "clusters on a lattice", _lattice, percolation),
    Program("householder", "QR by reflections", _tall, householder),
    Program("lifting", "wavelets by lifting", _series, lifting),
)
