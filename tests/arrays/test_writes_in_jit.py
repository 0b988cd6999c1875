"""Writes in traced functions: they reach the caller's arrays, or are errors at their line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la


def _update(a: Any, k: Any) -> Any:
    a[1:] += k
    row = a[0]
    row *= 2
    return a.sum()


@pytest.mark.parametrize("dtype", ["f8", ">f8"])
def test_a_write_reaches_the_callers_array(dtype: str) -> None:
    traced = la.jit(_update)
    for shape in ((3, 4), (3, 4), (5, 2)):
        for order in "CF":
            array = np.ones(shape, dtype, order=order)  # type: ignore[call-overload]
            expected = array.copy()
            _update(expected, 3.0)
            assert float(traced(array, 3.0)) == expected.sum()
            np.testing.assert_array_equal(array, expected)


def test_a_write_reaches_a_lazy_array_and_what_is_passed_beside_it() -> None:
    @la.jit
    def add(x: Any, total: Any) -> Any:
        total += x
        return total.max()

    x, total = la.ones(3), np.zeros(3)
    assert float(add(x, total)) == 1
    np.testing.assert_array_equal(total, np.ones(3))
    sums = la.zeros(3)
    add(la.ones(1), sums[1:2])
    np.testing.assert_array_equal(sums.compute(), [0, 1, 0])


def test_a_function_that_returns_what_it_wrote_to() -> None:
    @la.jit
    def step(u: Any) -> Any:
        u[1:-1] = 0.5 * (u[:-2] + u[2:])
        return u

    array = np.arange(6.0) ** 2
    expected = array.copy()
    for _ in range(3):
        expected[1:-1] = 0.5 * (expected[:-2] + expected[2:])
        np.testing.assert_array_equal(step(array), expected)
    np.testing.assert_array_equal(array, expected)


def test_copies_stay_in_the_function() -> None:
    @la.jit
    def own(x: Any) -> Any:
        x = x.copy()
        x += 1
        tiled, resized = la.tile(x, 1), la.resize(x, (2, 3))
        tiled[0], resized[0] = 5, 1
        return x, tiled, resized

    operand = np.ones(3)
    x, tiled, resized = own(operand)
    np.testing.assert_array_equal(operand, np.ones(3))
    np.testing.assert_array_equal(x, [2, 2, 2])
    np.testing.assert_array_equal(tiled, [5, 2, 2])
    np.testing.assert_array_equal(resized, [[1, 1, 1], [2, 2, 2]])


def test_a_write_to_an_array_from_outside_is_an_error_at_its_line() -> None:
    outside = la.zeros(3)
    view = outside[1:]

    @la.jit
    def write(x: Any, whole: Any) -> Any:
        if whole:
            outside[0] = x.sum()
        else:
            view[0] = x.sum()
        return x

    for whole in (True, False):
        with pytest.raises(la.errors.TracingError, match="not one of its arguments") as error:
            write(np.ones(3), whole)
        assert error.value.origin is not None
        assert error.value.origin[0] == __file__
    np.testing.assert_array_equal(outside.compute(), np.zeros(3))


def test_what_cannot_be_written_back_is_an_error() -> None:
    traced = la.jit(_update)
    array = np.ones((3, 4))
    for call in (traced.persist, traced.bind):
        with pytest.raises(la.errors.TracingError, match="writes to its arguments") as error:
            call(array, 2.0)
        assert error.value.origin is not None
        assert error.value.origin[0] == __file__
    array.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        traced(array, 2.0)

    @la.jit
    def both(x: Any, y: Any) -> Any:
        x += y
        return x.sum()

    memory = np.ones(5)
    with pytest.raises(la.errors.ArgumentError, match="shares memory"):
        both(memory[1:], memory[:-1])
    assert float(both(memory[:2], memory[2:4])) == 4
