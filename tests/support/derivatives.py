"""Checking derivatives: by finite differences, in both directions, to any order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import lazyarr as la
from lazyarr.graph.reference import evaluate_reference

__all__ = ["check_derivatives", "values"]

Array = np.ndarray[Any, Any]

#: Weights of the central difference of sixth order, at 1, 2 and 3 steps.
_WEIGHTS = (3 / 4, -3 / 20, 1 / 60)


def values(arrays: Any) -> list[Array]:
    """Return the values of LazyArrays, computed node by node with NumPy."""
    listed = list(arrays) if isinstance(arrays, (tuple, list)) else [arrays]
    with np.errstate(all="ignore"):
        return [np.array(x) for x in evaluate_reference([la.asarray(y)._node for y in listed])]


def _pairing(first: Sequence[Array], second: Sequence[Array]) -> float:
    """Return the real part of the sum of products, none conjugated."""
    return float(sum(np.real(np.sum(a * b)) for a, b in zip(first, second, strict=True)))


def _random(rng: np.random.Generator, like: Array) -> Array:
    result = rng.uniform(-1, 1, like.shape)
    if like.dtype.kind == "c":
        result = result + 1j * rng.uniform(-1, 1, like.shape)
    return np.asarray(result, like.dtype)


def check_derivatives(
    fun: Callable[..., Any],
    *args: Any,
    order: int = 2,
    step: float = 1e-3,
    rtol: float = 1e-6,
    atol: float = 1e-7,
    seed: int = 0,
) -> None:
    """Compare the derivatives of a function in random directions with differences of its values.

    Parameters
    ----------
    fun : callable
        Returns an array, or a tuple of arrays.
    *args : array_like
        Where: float64 or complex128.
    order : int
        How many derivatives are taken of each other.
    step : float
        Of the differences, which are of sixth order.
    rtol, atol : float
        How far both may be apart.
    """
    rng = np.random.default_rng(seed)
    points = [np.asarray(x) for x in args]
    directions = [_random(rng, x) for x in points]

    def listed(*arrays: Any) -> tuple[Any, ...]:
        result = fun(*arrays)
        return tuple(result) if isinstance(result, (tuple, list)) else (result,)

    at = values(listed(*map(la.asarray, points)))
    weights = [_random(rng, x) for x in at]
    expected = 0.0
    for k, weight in enumerate(_WEIGHTS, 1):
        for sign in (1, -1):
            moved = [
                la.asarray(x + sign * k * step * v) for x, v in zip(points, directions, strict=True)
            ]
            expected += sign * weight * _pairing(values(listed(*moved)), weights)
    expected /= step

    result, tangents = la.jvp(listed, points, directions)
    for ours, plain in zip(values(result), at, strict=True):
        np.testing.assert_allclose(ours, plain, rtol=1e-12, atol=1e-12)
    forward = values(tangents)
    for x, t in zip(at, forward, strict=True):
        assert (x.shape, x.dtype) == (t.shape, t.dtype)
    scale = max(1.0, sum(float(np.abs(t).sum()) for t in forward))
    np.testing.assert_allclose(_pairing(forward, weights), expected, rtol=rtol, atol=atol * scale)

    _, pull = la.vjp(listed, *points)
    backward = values(pull(tuple(weights)))
    for x, g in zip(points, backward, strict=True):
        assert (x.shape, x.dtype) == (g.shape, g.dtype)
    np.testing.assert_allclose(
        _pairing(backward, directions), expected, rtol=rtol, atol=atol * scale
    )

    if order > 1:

        def derivative(*arrays: Any) -> Any:
            return la.vjp(listed, *arrays)[1](tuple(weights))

        check_derivatives(
            derivative, *points, order=order - 1, step=step, rtol=rtol * 10, atol=atol * 10, seed=1
        )
