"""What a library call computes is written where a concatenation is to have it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la

Array = np.ndarray[Any, Any]


def matrix(shape: tuple[int, ...], seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def flat(a: Any, b: Any) -> Any:
    """Two products one behind the other, as gradients of packed parameters are."""
    return la.concatenate([(a @ b).reshape(-1), (b @ a).reshape(-1), a[0]]) * 2


def test_products_are_written_into_their_parts() -> None:
    a, b = matrix((60, 70)), matrix((70, 60), 1)
    expected = flat(a, b)
    report = la.explain(flat(la.asarray(a), la.asarray(b)))
    assert len(report.fallbacks) == 2
    # Only the row of `a` is copied.
    copies = [kernel for kernel in report.kernels if kernel.domain == (70,)]
    assert len(report.kernels) == 1 + len(copies)
    for _ in range(2):
        np.testing.assert_array_equal(la.jit(flat)(a, b), expected)
    with la.profile():
        np.testing.assert_array_equal(la.jit(flat)(a, b), expected)


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: (la.concatenate([(a @ b).reshape(-1), a[0]]), a @ b),
        lambda a, b: la.concatenate([(a @ b).reshape(-1), ((a @ b) * 2).reshape(-1)]),
        lambda a, b: la.concatenate([a @ b, b.T @ b], axis=0) + 1,
        lambda a, b: la.concatenate([a @ b, a @ (b + 1)], axis=1) + 1,
        lambda a, b: la.concatenate([a @ b, a @ b]),
        lambda a, b: la.concatenate([(a @ b).T.reshape(-1), (b.T @ b).reshape(-1)]) - 1,
        lambda a, b: la.concatenate([la.sort(a @ b, axis=0), la.cumsum(a, axis=0)], axis=1),
        lambda a, b: la.concatenate(
            [la.concatenate([(a @ b).reshape(-1), b[0]]), (b.T @ b).reshape(-1)]
        ),
    ],
)
def test_others_are_what_they_were(function: Any) -> None:
    a, b = matrix((60, 70)), matrix((70, 60), 1)
    expected = function(a, b)
    actual = la.jit(function)(a, b)
    for one, other in zip(
        actual if isinstance(actual, tuple) else (actual,),
        expected if isinstance(expected, tuple) else (expected,),
        strict=True,
    ):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-6, atol=1e-6)
