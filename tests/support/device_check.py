"""Compare a device with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

import lazyarr as la
from tests.support.expressions import Expression
from tests.support.random_draws import Draw

#: Relative to the largest element: sums of different order, functions of a few ulp.
TOLERANCE = {"f2": 4e-3, "f4": 2e-6, "f8": 1e-14, "c8": 2e-6, "c16": 1e-14}


def check(expression: Expression) -> None:
    """Check one expression on the device that the settings name."""
    arrays = expression.arrays()
    with np.errstate(all="ignore"):
        expected = expression.function(np, *arrays)
    lazy = expression.function(la, *(la.asarray(a) for a in arrays))
    several = isinstance(lazy, tuple)
    result = la.evaluate(*lazy) if several else (la.evaluate(lazy),)
    for ours, theirs in zip(result, expected if several else (expected,), strict=True):
        compare(expression, ours, np.asarray(theirs))


def compare(expression: Expression, ours: Any, theirs: Any) -> None:
    """Check shape, dtype and values."""
    assert isinstance(ours, np.ndarray)
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    assert ours.flags.writeable
    if expression.exact or theirs.dtype.kind in "biu":
        np.testing.assert_array_equal(ours, theirs)
        return
    scale = float(np.max(np.abs(theirs), initial=1.0))
    tolerance = max(TOLERANCE[dtype] for _, dtype in expression.operands if dtype in TOLERANCE)
    wide = complex if theirs.dtype.kind == "c" else float
    np.testing.assert_allclose(
        ours.astype(wide), theirs.astype(wide), rtol=10 * tolerance, atol=tolerance * scale
    )


def check_draw(draw: Draw) -> None:
    """Check that the device of the settings draws what the CPU does."""
    ours = draw.evaluate()
    with la.config(device="cpu"):
        theirs = draw.evaluate()
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    if draw.exact:
        np.testing.assert_array_equal(ours, theirs)
    else:
        tolerance = 1e-12 if ours.dtype == np.float64 else 1e-5
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


def check_rows_divided(columns: int) -> None:
    """Check the bits of rows of float64 of every kind divided by one number a row."""
    rng = np.random.default_rng(columns)
    kinds = np.array([0.0, -0.0, 1.0, -3.0, 5e-324, 1e-308, 1e-150, 1e160, 1e308, np.inf, np.nan])
    divisors = np.concatenate([kinds, -kinds, rng.uniform(-4, 4, 10), [np.nextafter(2.0, 0)]])
    x = rng.choice(kinds, (divisors.size, columns)) * rng.uniform(-1, 1, (divisors.size, columns))
    rows = np.broadcast_to(divisors[:, None], x.shape).copy()
    with np.errstate(all="ignore"):
        expected = x / rows.max(axis=1, keepdims=True)
    operand = la.asarray(rows)
    result = la.evaluate(la.asarray(x) / operand.max(axis=1, keepdims=True))
    there = ~np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(result), ~there)
    np.testing.assert_array_equal(result[there].view(np.int64), expected[there].view(np.int64))
