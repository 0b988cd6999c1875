"""Sums at places, which a kernel adds in NumPy's order: bits, exceptions and warnings agree."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.execution.cpu import scatters

Array = np.ndarray[Any, Any]
COUNT = 5000


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """A list that says of each library step that is planned whether a kernel computes it."""
    outcomes: list[bool] = []
    scatter_of = scatters.scatter_of

    def noted(group: Any, layouts: Any, threads: int) -> Any:
        scatter = scatter_of(group, layouts, threads)
        outcomes.append(scatter is not None)
        return scatter

    monkeypatch.setattr("lazyarr.execution.cpu.scatters.scatter_of", noted)
    la.cache.clear()
    return outcomes


def both(start: Array, places: Array, values: Any) -> tuple[Array, Array]:
    expected = start.copy()
    np.add.at(expected, places, values)
    lazy = la.asarray(start) * 1
    operand = la.asarray(values) if isinstance(values, np.ndarray) else values
    np.add.at(lazy, la.asarray(places), operand)
    return la.evaluate(lazy), expected


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8"])
@pytest.mark.parametrize("row", [(), (1,), (3,), (8,), (16,), (17,), (32,), (33,), (2, 5)], ids=str)
@pytest.mark.parametrize("length", [1, 7, 5000])
def test_sums_have_numpys_bits(
    added: list[bool], dtype: str, row: tuple[int, ...], length: int
) -> None:
    random = np.random.default_rng(length)
    start = (random.random((length, *row)) * 100).astype(dtype)
    values = (random.standard_normal((COUNT, *row)) * 1e6).astype(dtype)
    ours, expected = both(start, random.integers(-length, length, COUNT), values)
    assert ours.tobytes() == expected.tobytes()
    assert added[-1:] == [True]


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8"])
@pytest.mark.parametrize("kind", ["i4", "i8"])
@pytest.mark.parametrize("length", [1, 3, 50, 700, 2500, 5000, 200_000])
@pytest.mark.parametrize("counted", [False, True])
def test_places_in_order_that_repeat_seldom_often_or_now_and_then(
    added: list[bool], dtype: str, kind: str, length: int, counted: bool
) -> None:
    random = np.random.default_rng(length)
    start = (random.random(length) * 100).astype(dtype)
    places = np.sort(random.integers(-length, length, COUNT)).astype(kind)
    places = np.concatenate([places, random.integers(0, min(length, 3), COUNT).astype(kind)])
    values = (random.standard_normal(2 * COUNT) * 1e6).astype(dtype)
    ours, expected = both(start, places, values[0] if counted else values)
    assert ours.tobytes() == expected.tobytes()
    assert added[-1:] == [True]


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
@pytest.mark.parametrize("width", [2, 3, 8, 15])
@pytest.mark.parametrize("length", [1, 3, 20, 2500])
def test_short_rows_whose_places_repeat_long(
    added: list[bool], dtype: str, width: int, length: int
) -> None:
    random = np.random.default_rng(length)
    start = (random.random((length, width)) * 100).astype(dtype)
    places = np.sort(random.integers(0, length, COUNT))
    # Behind the sample they change often, and some count from the end.
    places = np.concatenate([places, random.integers(-length, length, COUNT)])
    values = (random.standard_normal((2 * COUNT, width)) * 1e6).astype(dtype)
    ours, expected = both(start, places, values)
    assert ours.tobytes() == expected.tobytes()
    assert added[-1:] == [True]
    places[40] = length
    with pytest.raises(IndexError):
        both(start, places, values)


@pytest.mark.parametrize("kind", ["i4", "u2", "i8"])
@pytest.mark.parametrize("step", [1, -1, 2])
def test_places_and_values_of_any_layout(added: list[bool], kind: str, step: int) -> None:
    random = np.random.default_rng(1)
    places = random.integers(0, 50, 2 * COUNT).astype(kind)[::step][:COUNT]
    values = np.asfortranarray(random.random((2 * COUNT, 3)))[::step][:COUNT]
    ours, expected = both(np.zeros((50, 3)), places, values)
    assert ours.tobytes() == expected.tobytes()
    assert added[-1:] == [True]


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8"])
@pytest.mark.parametrize("number", [0.1, 3, True])
def test_one_number_for_all_places(added: list[bool], dtype: str, number: Any) -> None:
    if isinstance(number, float) and dtype[0] == "i":
        number = np.int8(7)
    places = np.random.default_rng(2).integers(0, 9, COUNT)
    value = np.array(number, dtype) if isinstance(number, float) else np.array(number)
    ours, expected = both(np.zeros(9, dtype), places, value)
    assert ours.tobytes() == expected.tobytes()
    # Sums of integers wrap, in whichever width they are added.
    wraps = np.dtype(dtype).kind == value.dtype.kind == "i"
    assert added == [wraps or np.result_type(dtype, value.dtype) == dtype]


def test_a_histogram_by_counting() -> None:
    places = np.random.default_rng(4).integers(0, 256, 100_000)
    counts = la.zeros(256, int)
    np.add.at(counts, la.asarray(places), 1)
    assert np.array_equal(la.evaluate(counts), np.bincount(places, minlength=256))


def test_what_is_no_sum_of_rows_is_numpys(added: list[bool]) -> None:
    random = np.random.default_rng(3)
    places = random.integers(0, 9, COUNT)
    ours, expected = both(np.zeros((9, 4)), places, random.random(4))  # broadcast
    assert np.array_equal(ours, expected)
    ours, expected = both(np.zeros(9, np.float32), places, np.ones(COUNT, np.int64))
    assert np.array_equal(ours, expected)
    lazy, eager = la.asarray(np.ones(9)) * 1, np.ones(9)
    np.multiply.at(lazy, la.asarray(places[:40]), la.asarray(np.full(40, 1.5)))
    np.multiply.at(eager, places[:40], np.full(40, 1.5))
    assert np.array_equal(la.evaluate(lazy), eager)
    assert True not in added


@pytest.mark.parametrize("dtype", ["f4", "i8"])
@pytest.mark.parametrize("row", [(), (3,), (40,)], ids=str)
@pytest.mark.parametrize("count", [1, 40, 70_000])
def test_random_sums_of_jitted_functions(dtype: str, row: tuple[int, ...], count: int) -> None:
    random = np.random.default_rng(count)
    places = np.sort(random.integers(0, 12, count)) if count % 7 else random.integers(0, 12, count)
    values = (random.standard_normal((count, *row)) * 1e3).astype(dtype)

    @la.jit
    def sums(values: Any, places: Any) -> Any:
        total = la.zeros((12, *row), dtype)
        la.add.at(total, places, 2 * values)
        return total

    expected = np.zeros((12, *row), dtype)
    np.add.at(expected, places, 2 * values)
    for _ in range(3):
        assert sums(values, places).tobytes() == expected.tobytes()
    with pytest.raises(IndexError, match="index 12 is out of bounds"):
        sums(values, np.full(count, 12))


@pytest.mark.parametrize("place", [9, -10, 1 << 40])
def test_places_out_of_bounds_are_refused_as_numpy_refuses_them(place: int) -> None:
    places = np.zeros(COUNT, np.int64)
    places[-1] = place
    lazy = la.asarray(np.zeros(9)) * 1
    np.add.at(lazy, la.asarray(places), la.asarray(np.ones(COUNT)))
    with pytest.raises(IndexError, match=f"index {place} is out of bounds"):
        la.evaluate(lazy)


def test_an_overflow_warns_and_a_value_that_is_none_does_not() -> None:
    places = np.zeros(COUNT, np.int64)
    lazy = la.asarray(np.zeros(9)) * 1
    np.add.at(lazy, la.asarray(places), la.asarray(np.full(COUNT, 1e308)))
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert np.isinf(la.evaluate(lazy)[0])
    values = np.ones(COUNT)
    values[5] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours, expected = both(np.zeros(9), places, values)
    assert np.array_equal(ours, expected, equal_nan=True)
