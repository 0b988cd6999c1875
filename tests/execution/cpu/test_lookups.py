"""Lookups in sorted vectors by a kernel: NumPy's positions and NumPy's bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.execution.cpu import lookups

Array = np.ndarray[Any, Any]


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """A list that says of each lookup that is planned whether a kernel computes it."""
    outcomes: list[bool] = []
    lookup_of = lookups.lookup_of

    def noted(group: Any, layouts: Any) -> Any:
        lookup = lookup_of(group, layouts)
        outcomes.append(lookup is not None)
        return lookup

    monkeypatch.setattr("lazyarr.execution.cpu.lookups.lookup_of", noted)
    la.cache.clear()
    return outcomes


def drawn(random: np.random.Generator, size: Any, dtype: str) -> Array:
    """Return numbers with ties; floats among them that are none, or infinite."""
    values = random.integers(-40, 40, size) / 4
    if dtype[0] != "f":
        info = np.iinfo(dtype)
        extremes = random.choice(np.array([info.min, info.max], dtype), size)
        small = np.abs(values).astype(dtype) if dtype[0] == "u" else values.astype(dtype)
        return np.where(random.random(size) < 0.1, extremes, small)
    special = np.array([np.nan, np.inf, -np.inf, -0.0])
    odd = random.random(size) < random.choice([0, 0.2])
    return np.where(odd, random.choice(special, size), values).astype(dtype)


@pytest.mark.parametrize("dtype", "f4 f8 i1 i2 i4 i8 u1 u2 u4 u8".split())
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("threads", [1, 3])
def test_positions(kernels: list[bool], dtype: str, side: str, threads: int) -> None:
    random = np.random.default_rng([ord(dtype[0]), int(dtype[1]), threads])
    for length in (1, 2, 3, 7, 8, 16, 17, 100, 1025):
        table = np.sort(drawn(random, length, dtype))
        shape = [(8,), (9,), (1000,), (60, 70)][int(random.integers(4))]
        values = drawn(random, shape, dtype)
        with la.config(threads=threads):
            result = la.jit(lambda a, v: la.searchsorted(a, v, side=side))(table, values)
        np.testing.assert_array_equal(result, np.searchsorted(table, values, side=side))
    assert all(kernels)
    assert len(kernels) >= 9


@pytest.mark.parametrize(
    "dtypes", ["f8 f8 f8", "f4 f4 f4", "i4 f8 f4", "f8 f4 f4", "f8 f4 f8", "f8 u1 i8"]
)
@pytest.mark.parametrize("sides", [{}, {"left": -7.5}, {"left": 1, "right": np.nan}])
@pytest.mark.parametrize("threads", [1, 3])
def test_interpolation(
    kernels: list[bool], dtypes: str, sides: dict[str, Any], threads: int
) -> None:
    random = np.random.default_rng([len(sides), threads])
    for length in (2, 3, 16, 17, 300):
        of_x, of_points, of_heights = dtypes.split()
        x = drawn(random, (50, 40), of_x)
        points = np.unique(np.nan_to_num(drawn(random, length, of_points)))
        heights = drawn(random, points.size, of_heights)
        with la.config(threads=threads), np.errstate(all="ignore"):
            result = np.asarray(la.jit(lambda *args: la.interp(*args, **sides))(x, points, heights))
        expected = np.interp(x, points, heights, **sides)
        assert result.tobytes() == expected.tobytes() or _same_but_nan(result, expected)
    assert all(kernels)
    assert kernels


def test_tables_are_converted_where_they_are_read() -> None:
    random = np.random.default_rng(4)
    x, points, heights = (random.random(n).astype("f4") for n in (1500, 30_000, 30_000))
    plan = la.explain(la.interp(la.asarray(x), la.asarray(np.sort(points)), la.asarray(heights)))
    assert plan.bytes_moved < 2 * (points.nbytes + heights.nbytes)


def _same_but_nan(one: Array, other: Array) -> bool:
    """Whether arrays have the same bits, but for those of what is no number."""
    are_none = np.isnan(one) & np.isnan(other)
    return bool((are_none | (one.view(np.int64) == other.view(np.int64))).all())


@pytest.mark.parametrize("dtype", ["f8", "i4"])
@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("falls", [False, True])
def test_bins(kernels: list[bool], dtype: str, right: bool, falls: bool) -> None:
    random = np.random.default_rng(5)
    for length in (1, 2, 16, 30):
        bins = np.sort(np.nan_to_num(drawn(random, length, dtype)))
        bins = bins[::-1] if falls else bins
        x = drawn(random, 3000, dtype)
        result = la.jit(lambda x, bins: la.digitize(x, bins, right=right))(x, bins)
        np.testing.assert_array_equal(result, np.digitize(x, bins, right=right))
    assert all(kernels)
    assert kernels


def test_bins_that_neither_rise_nor_fall_are_an_error() -> None:
    jitted = la.jit(lambda x, bins: la.digitize(x, bins))
    with pytest.raises(ValueError, match="monotonically"):
        jitted(np.arange(3000.0), np.array([1.0, 3.0, 2.0]))


def test_what_lies_otherwise_is_left_to_numpy(kernels: list[bool]) -> None:
    random = np.random.default_rng(6)
    table, values = np.sort(random.random(200))[::2], random.random((90, 80)).T
    result = la.jit(lambda a, v: la.searchsorted(a, v))(table, values)
    np.testing.assert_array_equal(result, np.searchsorted(table, values))


def test_lookups_among_other_steps(kernels: list[bool]) -> None:
    random = np.random.default_rng(7)
    table, x = np.sort(random.random(50)), random.random(4000)

    def f(xp: Any, table: Any, x: Any) -> Any:
        places = xp.minimum(xp.searchsorted(table, x * 1.2 - 0.1), table.size - 1)
        return table[places] - xp.interp(x * x, table, table * 2) + 1

    np.testing.assert_array_equal(la.jit(lambda t, x: f(la, t, x))(table, x), f(np, table, x))
    assert kernels == [True, True]
