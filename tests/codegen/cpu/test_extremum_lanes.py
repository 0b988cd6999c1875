"""Extrema of rows of one line and of many: in lanes, to the bit what NumPy gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la

pytestmark = pytest.mark.host


@settings(max_examples=25, deadline=None)
@given(
    lines=st.integers(2, 9),
    kept=st.integers(1, 3),
    length=st.one_of(st.integers(1, 20), st.sampled_from([31, 32, 33, 64, 65, 96, 127, 200])),
    dtype=st.sampled_from([np.float32, np.float64, np.float16, np.int32]),
    name=st.sampled_from(["min", "max"]),
    jitted=st.booleans(),
    seed=st.integers(0, 99),
)
def test_extrema_of_lines(
    lines: int, kept: int, length: int, dtype: type, name: str, jitted: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(-50, 50, (lines, kept, length)).astype(dtype)
    if x.dtype.kind == "f":
        x[rng.random(x.shape) < rng.choice([0.0, 0.01])] = np.nan
        x[rng.random(x.shape) < 0.01] = rng.choice([np.inf, -np.inf])

    def function(a: la.LazyArray) -> la.LazyArray:
        extremum: la.LazyArray = getattr(a * 2 - 1, name)(axis=(0, 2))
        return extremum

    result = la.jit(function)(x) if jitted else function(la.asarray(x)).compute()
    expected = getattr(x * x.dtype.type(2) - x.dtype.type(1), name)(axis=(0, 2))
    np.testing.assert_array_equal(result, expected)
    assert result.dtype == expected.dtype


@pytest.mark.parametrize("length", [3, 17, 40])
def test_signs_of_zeros_do_not_depend_on_their_places(length: int) -> None:
    rng = np.random.default_rng(2)
    x = np.where(rng.random((6, 4, length)) < 0.3, -0.0, 0.0)
    least, most = la.evaluate(la.asarray(x).min(axis=(0, 2)), la.asarray(x).max(axis=(0, 2)))
    assert np.signbit(least).all()
    assert not np.signbit(most).any()


@pytest.mark.parametrize("backend", ["llvm", "numba"])
def test_long_rows_of_lines(backend: str) -> None:
    x = np.random.default_rng(3).random((90, 5, 2, 307)).astype(np.float32)
    x[3, 4, 1, 306] = np.nan
    with la.config(backend=backend):
        lowest = la.asarray(x).min(axis=(0, 1, 3))
        np.testing.assert_array_equal(lowest.compute(), x.min(axis=(0, 1, 3)))
    assert {k.template for k in la.explain(lowest).kernels} == {"split"}


def test_lanes_are_of_a_constant_number() -> None:
    x = la.asarray(np.zeros((8, 3, 100), np.float32))
    (kernel,) = la.explain(x.max(axis=(0, 2))).kernels
    assert "%lanes" in str(kernel.source)
    (kernel,) = la.explain(x.max(axis=2)).kernels
    assert "%lanes" in str(kernel.source)
    (kernel,) = la.explain((x[..., ::8] * 2).max(axis=2)).kernels
    assert "%lanes" not in str(kernel.source), "a row is shorter than a vector"


@settings(max_examples=40, deadline=None)
@given(
    rows=st.integers(1, 5),
    length=st.one_of(st.integers(1, 300), st.sampled_from([511, 512, 1000, 1023, 4097])),
    dtype=st.sampled_from([np.float32, np.float64, np.float16]),
    of=st.sampled_from(["range", "least", "softmax", "positions"]),
    seed=st.integers(0, 99),
)
def test_extrema_of_single_lines(rows: int, length: int, dtype: type, of: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(-50, 50, (rows, length)).astype(dtype)
    x[rng.random(x.shape) < rng.choice([0.0, 0.01])] = np.nan
    x[rng.random(x.shape) < rng.choice([0.0, 0.01])] = rng.choice([np.inf, -np.inf])

    def function(xp: Any, a: Any) -> Any:
        top, low = a.max(axis=1, keepdims=True), a.min(axis=1, keepdims=True)
        match of:
            case "range":
                return (a - low) / (top - low)
            case "least":
                return low - a
            case "softmax":
                return xp.where(a == top, 1, 0) / (a == top).sum(axis=1, keepdims=True)
            case _:
                return xp.where(a >= top, a, low)

    with np.errstate(all="ignore"), la.config(optimize=False):
        result = la.evaluate(function(la, la.asarray(x)))
        np.testing.assert_array_equal(result, function(np, x))


@settings(max_examples=30, deadline=None)
@given(
    shape=st.tuples(st.integers(1, 9), st.integers(1, 4), st.integers(1, 300)),
    dtype=st.sampled_from("f d e i l B ?".split()),
    name=st.sampled_from(["argmin", "argmax"]),
    values=st.sampled_from([1, 3, 1000]),
    is_flat=st.booleans(),
    seed=st.integers(0, 99),
)
def test_positions_are_those_of_numpy(
    shape: tuple[int, int, int], dtype: str, name: str, values: int, is_flat: bool, seed: int
) -> None:
    """Of equal elements, zeros of both signs among them, and of NaNs, the first."""
    rng = np.random.default_rng(seed)
    x = (rng.integers(0, values, shape) * rng.choice([0, 1], shape)).astype(dtype)
    if x.dtype.kind == "f":
        x *= rng.choice([-1, 1], shape).astype(dtype)
        x[rng.random(shape) < rng.choice([0.0, 0.01])] = np.nan
        x[rng.random(shape) < rng.choice([0.0, 0.01, 1.0])] = rng.choice([np.inf, -np.inf])
    x = x.transpose(1, 0, 2) if is_flat else x

    def function(xp: Any, a: Any) -> Any:
        a = a.reshape(a.shape[0], -1) if is_flat else a
        return getattr(xp, name)(a if dtype == "?" else a + a, axis=-1)

    with np.errstate(all="ignore"), la.config(optimize=False):
        result = la.evaluate(function(la, la.asarray(x)))
        expected = function(np, x)
    np.testing.assert_array_equal(result, expected)
    assert result.dtype == expected.dtype


def test_positions_beside_extrema_are_in_lanes() -> None:
    x = np.random.default_rng(0).integers(-5, 5, (40, 3, 70)).astype(np.float32)
    lazy = la.asarray(x)
    roots = lazy.argmax(axis=2), lazy.max(axis=2), lazy.argmin(axis=2)
    assert all("%lanes" in str(kernel.source) for kernel in la.explain(*roots).kernels)
    results = la.evaluate(*roots)
    for result, expected in zip(results, (x.argmax(2), x.max(2), x.argmin(2)), strict=True):
        np.testing.assert_array_equal(result, expected)
