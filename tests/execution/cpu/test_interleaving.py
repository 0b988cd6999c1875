"""Sums at places whose rows are computed a block at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.core.frozen import replace
from lazyarr.execution import tuning
from lazyarr.execution.cpu import interleaving

Array = np.ndarray[Any, Any]
COUNT = 3001


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Blocks of few rows; a list that says of each plan with sums whether they are computed so."""
    few = {"interleaved_least": 1, "interleaved_bytes": 800, "interleaved_work": 1}
    row = replace(tuning.row(), **few)
    monkeypatch.setattr(interleaving.tuning, "row", lambda: row)
    outcomes: list[bool] = []
    pair_of = interleaving._pair_of

    def noted(*arguments: Any) -> Any:
        pair = pair_of(*arguments)
        outcomes.append(pair is not None)
        return pair

    monkeypatch.setattr(interleaving, "_pair_of", noted)
    la.cache.clear()
    return outcomes


def added(start: Any, places: Any, values: Any) -> Any:
    """Return sums of rows that are computed, by NumPy or as an expression."""
    result = start * 1
    np.add.at(result, places, values * 2.0 - 1.0)
    return result


def both(start: Array, places: Array, values: Array, jitted: bool = True) -> tuple[Array, Array]:
    ours = la.jit(added) if jitted else added
    with la.config(threads=1, immediate=0):
        result = ours(la.asarray(start), la.asarray(places), la.asarray(values))
        return la.evaluate(result), added(start, places, values)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("row", [(), (3,), (16,), (2, 2)], ids=str)
@pytest.mark.parametrize("jitted", [False, True])
def test_sums_of_computed_rows_have_numpys_bits(
    joined: list[bool], dtype: str, row: tuple[int, ...], jitted: bool
) -> None:
    random = np.random.default_rng(3)
    start = (random.random((70, *row)) * 100).astype(dtype)
    values = (random.standard_normal((COUNT, *row)) * 1e6).astype(dtype)
    for places in (random.integers(-70, 70, COUNT), np.sort(random.integers(0, 70, COUNT))):
        ours, expected = both(start, places, values, jitted)
        assert ours.tobytes() == expected.tobytes()
    assert any(joined)


def test_rows_that_something_else_reads_are_computed_before(joined: list[bool]) -> None:
    random = np.random.default_rng(4)
    places, values = random.integers(0, 9, COUNT), random.random((COUNT, 3))

    def twice(places: Any, values: Any) -> Any:
        rows = values * 2.0 - 1.0
        result = np.zeros((9, 3)) if isinstance(values, np.ndarray) else la.zeros((9, 3))
        np.add.at(result, places, rows)
        return result, rows.sum(axis=0), rows[::-1]

    with la.config(threads=1):
        ours = la.jit(twice)(places, values)
    for one, other in zip(ours, twice(places, values), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    assert not any(joined)


@pytest.mark.parametrize("layout", ["broadcast", "transposed"])
def test_rows_of_other_layouts(joined: list[bool], layout: str) -> None:
    random = np.random.default_rng(5)
    places = random.integers(0, 9, COUNT)
    values = random.random((3, COUNT)).T if layout == "transposed" else random.random((COUNT, 1))
    start = np.zeros((9, 3)) if layout == "transposed" else np.zeros((9, 1))
    ours, expected = both(start, places, values)
    assert ours.tobytes() == expected.tobytes()


def test_places_outside_are_errors(joined: list[bool]) -> None:
    places = np.zeros(COUNT, int)
    places[COUNT - 1] = 9
    with pytest.raises(IndexError, match="9"):
        both(np.zeros((9, 3)), places, np.ones((COUNT, 3)))
    assert any(joined)


def test_many_threads_compute_rows_before(joined: list[bool]) -> None:
    threads = tuning.row().interleaved_threads + 1
    random = np.random.default_rng(6)
    places, values = random.integers(0, 9, COUNT), random.random((COUNT, 3))
    with la.config(threads=threads):
        ours = la.jit(added)(np.zeros((9, 3)), places, values)
    assert ours.tobytes() == added(np.zeros((9, 3)), places, values).tobytes()
    assert not joined


def to_themselves(x: Any, places: Any) -> Any:
    rows = x * 2.0 - 1.0
    np.add.at(rows, places, rows)
    return rows


def to_their_reverse(x: Any, places: Any) -> Any:
    rows = x * 2.0 - 1.0
    result = rows[::-1] * 1.0
    np.add.at(result, places, rows)
    return result


def to_numbers_of_another_shape(x: Any, places: Any) -> Any:
    rows = x * 2.0 - 1.0
    result = rows.reshape(COUNT)
    np.add.at(result, places, rows.reshape(COUNT))
    return rows


def at_themselves(x: Any, places: Any) -> Any:
    rows = places * 3 % COUNT
    result = places * 1
    np.add.at(result, rows, rows)
    return result


@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize(
    "function", [to_themselves, to_their_reverse, to_numbers_of_another_shape, at_themselves]
)
def test_rows_that_the_sums_read_as_something_else_too(
    joined: list[bool], function: Any, jitted: bool
) -> None:
    random = np.random.default_rng(7)
    x, places = random.random(COUNT), random.integers(0, COUNT, COUNT)
    with la.config(threads=1, immediate=0):
        ours = (la.jit(function) if jitted else function)(la.asarray(x), la.asarray(places))
        assert la.evaluate(ours).tobytes() == function(x, places).tobytes()
