"""Reductions along short rows whose elements lie in turn: of (n, 5, 3) along the axis of five."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cpu import tuning
from lazyarr.core.frozen import replace

PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda m, x: (2 * x - 1).sum(axis=-2),
    "mean": lambda m, x: x.mean(axis=-2),
    "largest": lambda m, x: x.max(axis=-2),
    "first": lambda m, x: m.argmin(x, axis=-2),
    "last": lambda m, x: m.argmax(3 * x - x * x, axis=-2),
    "several": lambda m, x: x.max(axis=-2) + x.sum(axis=-2) - x.min(axis=-2),
    "variance": lambda m, x: x.var(axis=-2),
    "centred": lambda m, x: x - x.max(axis=-2, keepdims=True),
    "any": lambda m, x: (x > 1.5).any(axis=-2),
    "beside": lambda m, x: (x * x[..., :1, :]).max(axis=-2) * x[..., 0, :],
    "weighted": lambda m, x: (x * m.arange(x.shape[-1])).max(axis=-2),
    "two arrays": lambda m, x: m.argmin(x * x[::-1] + x, axis=-2),
}
SHAPES = [(33, 5, 3), (8, 4, 2), (100, 17, 3), (2, 40, 13, 4), (70, 64, 2), (9, 2, 15), (31, 9, 14)]


def array(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Any:
    """Return numbers with ties, NaNs and infinities."""
    x = np.round(rng.standard_normal(shape) * 3, int(rng.integers(0, 3)))
    if dtype[0] == "f" and rng.integers(2):
        special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0])
        x = np.where(rng.random(shape) < 0.05, rng.choice(special, shape), x)
    return x.astype(dtype)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4"])
def test_is_numpys(name: str, dtype: str) -> None:
    rng = np.random.default_rng(len(name))
    of = PROGRAMS[name]
    for shape in SHAPES:
        x = array(rng, shape, dtype)
        with np.errstate(all="ignore"), la.config(optimize=False):
            expected = of(np, x)
            ours = la.evaluate(of(la, la.asarray(x)))
        assert ours.dtype == expected.dtype
        if dtype == "f4" and name in ("sum", "mean", "several", "variance"):
            np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-5)
        else:
            np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize("seed", range(12))
def test_bits_are_those_of_columns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    name = list(PROGRAMS)[seed]
    shape = tuple(int(rng.integers(low, high)) for low, high in ((1, 80), (2, 65), (2, 16)))
    x = array(rng, shape, str(rng.choice(["f4", "f8"])))
    results = []
    for most in (0, 128):
        row = replace(tuning.row(), most_tiled_row=most)
        with tuning.TABLE.using(row), np.errstate(all="ignore"):
            results.append(la.evaluate(PROGRAMS[name](la, la.asarray(x))))
    if name == "variance":  # columns take deviations about another number
        np.testing.assert_allclose(*results, rtol=1e-6)
    else:
        np.testing.assert_array_equal(*results)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((100, 5, 3), True),
        ((100, 40, 3), True),
        ((7, 5, 3), False),
        ((100, 5, 16), False),
        ((100, 43, 3), False),
    ],
    ids=str,
)
def test_which_rows_are_side_by_side(shape: tuple[int, ...], expected: bool) -> None:
    x = la.asarray(np.ones(shape))
    (kernel,) = la.explain(la.argmax(x * 2, axis=1)).kernels
    assert ("side by side" in str(kernel.tiling)) is expected
    apart = la.asarray(np.ones((*shape[:2], 2 * shape[2])))[..., ::2]
    (kernel,) = la.explain(la.argmax(apart * 2, axis=1)).kernels
    assert "side by side" not in str(kernel.tiling)
