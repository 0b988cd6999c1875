"""Views at integers that are yet to be computed, as the row ``x[scores.argmax()]``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la

Array = np.ndarray[Any, Any]
SHAPE = (4, 5, 3)
#: Elements up to which operations run at once: most, some, none.
LIMITS = [65_536, 16, 0]


def _values(seed: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    return rng.integers(-9, 9, SHAPE).astype(float), rng.permutation(3)


def _program(seed: int) -> Callable[[Any, Any], tuple[Any, ...]]:
    """Return a program of some statements that make rows at numbers, and read and write them."""
    rng = np.random.default_rng(seed)
    picks = rng.integers(0, 1 << 30, 40).tolist()

    def run(x: Any, scores: Any) -> tuple[Any, ...]:
        random = iter(picks)

        def pick(count: int) -> int:
            return int(next(random) % count)

        if pick(3) == 0:
            x = x * 2.0
        number = [scores.argmax(), scores.argmin(), scores.sum() - 2, -scores.argmax() - 1][pick(4)]
        keys: list[Any] = [
            number,
            (slice(None), number),
            (number, slice(1, 4)),
            (number, None, slice(None, None, -2)),
            (..., number),
            (slice(None), number, ...),
            (slice(1, 3), 2, number),
            (number, number, ...),
            (number, number, number, ...),
            (1, ..., number),
        ]
        views = [x]
        seen = []
        for _ in range(6):
            view = views[pick(len(views))]
            match pick(7):
                case 0 | 1:
                    views.append(x[keys[pick(len(keys))]])
                case 2:
                    view[...] = float(pick(9))
                case 3:
                    view += 1.0
                case 4:
                    seen.append(view * 3.0)
                case 5:
                    part = view[pick(2) :] if view.ndim else view[...]
                    views.append(part.T)
                case _:
                    x[scores.argmin()] = float(pick(5))
        return (*seen, *[view + 0.0 for view in views])

    return run


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("seed", range(60))
def test_programs_of_rows(seed: int, limit: int) -> None:
    program, (x, scores) = _program(seed), _values(seed)
    expected = program(x.copy(), scores.copy())
    with la.config(immediate=limit):
        results = program(la.array(x), la.array(scores))
        for result, right in zip(results, expected, strict=True):
            np.testing.assert_array_equal(np.asarray(result), right)


@pytest.mark.parametrize("seed", range(60, 75))
def test_programs_of_rows_that_are_traced(seed: int) -> None:
    program, (x, scores) = _program(seed), _values(seed)
    written = x.copy()
    expected = program(written, scores.copy())
    array = la.array(x)
    results = la.jit(program)(array, la.array(scores))
    for result, right in zip(results, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(result), right)
    np.testing.assert_array_equal(np.asarray(array), written)


def _add_to_row(x: Any, i: Any) -> Any:
    row = x[i]
    row += 1.0
    return row.sum()


@pytest.mark.parametrize("index", [2, np.int64(2), np.uint8(1), -1])
def test_a_row_at_an_argument_of_a_traced_function(index: Any) -> None:
    x = np.arange(12.0).reshape(4, 3)
    array = la.array(x)
    total = la.jit(_add_to_row)(array, index)
    assert float(total) == _add_to_row(x, index)
    np.testing.assert_array_equal(np.asarray(array), x)


def test_an_array_without_axes_gives_a_copy() -> None:
    x, index = np.zeros((3, 2)), np.array(1)
    array = la.array(x)
    for function in (_add_to_row, la.jit(_add_to_row)):
        function(array, index)
        np.testing.assert_array_equal(np.asarray(array), 0.0)
    _add_to_row(x, index)
    assert not x.any()


@pytest.mark.parametrize("limit", LIMITS)
def test_a_number_shares_nothing(limit: int) -> None:
    with la.config(immediate=limit):
        x = la.array(np.arange(4.0)) * 1.0
        element = x[x.argmax()]
        element += 5.0
        assert float(element) == 8.0
        np.testing.assert_array_equal(np.asarray(x), np.arange(4.0))


def test_a_row_of_an_array_in_memory_is_written_there() -> None:
    with la.config(immediate=1_000):
        scores = la.array(np.arange(300_000.0) % 70_000) * 1.0
        x = la.array(np.zeros((3, 100_000)))
        x[0, 0] = 1.0
        row = x[scores.argmax() // 100_000]
        row[5:] = 2.0
        assert x._array is not None  # no expression of all rows
        assert float(x.sum()) == 1.0 + 2.0 * (100_000 - 5)


@pytest.mark.parametrize("in_place", [False, True])
def test_a_row_of_an_expression_is_written_in_memory_once_that_is_computed(in_place: bool) -> None:
    with la.config(immediate=1_000):
        x = la.array(np.zeros((3, 10_000))) * 1.0
        row = x[(la.array(np.arange(9_000.0)) * 1.0).argmax() // 4_000]
        x[0, 0] = 1.0
        assert x._array is not None
        if in_place:
            row += 2.0
        else:
            row[...] = 2.0
        assert x._array is not None
        np.testing.assert_array_equal(np.asarray(x[2]), 2.0)


@pytest.mark.parametrize("limit", [16, 0])
def test_an_index_outside_is_refused_before_anything_is_written(limit: int) -> None:
    with la.config(immediate=limit):
        x = la.array(np.zeros((3, 30)))
        number = la.array(np.arange(40.0)).argmax()
        with pytest.raises(IndexError, match="out of bounds"):
            row = x[number]
            row[...] = 1.0
            la.evaluate(x)


@pytest.mark.parametrize("limit", LIMITS)
def test_rows_that_cannot_be_written_to(limit: int) -> None:
    with la.config(immediate=limit):
        x = la.array(np.zeros((3, 30)))
        row = la.broadcast_to(x, (2, 3, 30))[la.array(np.arange(2.0)).argmax()]
        with pytest.raises(ValueError, match="read-only"):
            row[...] = 1.0


@pytest.mark.parametrize("limit", LIMITS)
def test_what_a_row_says_of_itself(limit: int) -> None:
    values = np.zeros((3, 4, 5))
    with la.config(immediate=limit):
        x = la.array(values) * 1.0
        number = la.array(np.array([1.0, 5.0, 2.0])).argmax()
        row, right = x[:, number], values[:, 1]
        assert (row.strides, row.shape) == (right.strides, right.shape)
        assert row.base is x
        assert la.shares_memory(row, x[:, 1])
        assert not la.shares_memory(row, x[:, 2])


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize(
    "part", [slice(5, 2), slice(9, None), slice(0, 3, 2), slice(None, None, -1)]
)
def test_slices_beside_numbers(part: slice, limit: int) -> None:
    values = np.zeros((3, 4))
    with la.config(immediate=limit):
        x = la.array(values) * 1.0
        row = x[la.array(np.array([1.0, 5.0, 2.0])).argmax(), part]
        row += 1.0
        row[...] += 1.0
        right = values[1, part]
        right += 2.0
        assert (row.shape, row.strides) == (right.shape, right.strides)
        np.testing.assert_array_equal(np.asarray(x), values)


def test_what_reads_a_row_computes_nothing_early() -> None:
    with la.config(immediate=0, implicit="raise"):
        x = la.array(np.arange(12.0).reshape(4, 3))
        row = x[x.sum(axis=1).argmax()]
        total = (row * 2.0).sum()
        row += 1.0
        both = la.evaluate(total, x.sum())
    assert (float(both[0]), float(both[1])) == (60.0, 69.0)
