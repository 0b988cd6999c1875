"""What NumPy writes in place makes a LazyArray stand for another value, and leaves arrays alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la

Array = np.ndarray[Any, Any]


def _set(x: Any, key: Any, value: Any) -> None:
    x[key] = value


def _set_flat(x: Any, key: Any, value: Any) -> None:
    x.flat[key] = value


def _all_flat(x: Any, value: Any) -> None:
    x.flat = value


WRITES: dict[str, Callable[[Any], None]] = {
    "put": lambda x: x.put([0, -1], [7, 8]),
    "put of few values": lambda x: x.put([0, 1, 2, 3], [7, 8]),
    "put wrapped": lambda x: x.put([99, -99], [1, 2], mode="wrap"),
    "put clipped": lambda x: np.put(x, [99, -99], [1, 2], mode="clip"),
    "place": lambda x: np.place(x, np.array([[0, 1, 0], [1, 1, 0]], bool), [1, 2]),
    "copyto": lambda x: np.copyto(x, 5),
    "copyto where": lambda x: np.copyto(x, [1, 2, 3], where=[True, False, True]),
    "fill_diagonal": lambda x: np.fill_diagonal(x, 9),
    "put_along_axis": lambda x: np.put_along_axis(x, np.array([[0], [1]]), -1, 1),
    "putmask": lambda x: np.putmask(x, x > 2, [1, 2, 3]),
    "one of flat": lambda x: _set_flat(x, 3, 9),
    "slice of flat": lambda x: _set_flat(x, slice(1, 4), [1, 2]),
    "some of flat": lambda x: _set_flat(x, [0, 5], [3, 4]),
    "last of flat": lambda x: _set_flat(x, -1, None),
    "all of flat": lambda x: _all_flat(x, [1, 2]),
    "partition": lambda x: x.partition(1),
    "partition of columns": lambda x: x.partition(0, axis=0),
    "sort": lambda x: x.sort(axis=0),
    "none": lambda x: _set(x, 0, None),
    "none in two": lambda x: _set(x, ([0, 1], [1, 2]), None),
    "none everywhere": lambda x: x.fill(None),
}


@pytest.mark.parametrize("name", WRITES)
def test_writing_is_seen_in_views_and_leaves_what_was_wrapped(name: str) -> None:
    write = WRITES[name]
    operand = np.array([[4.0, 1.0, 2.0], [3.0, 0.0, 5.0]])
    before, expected = operand.copy(), operand.copy()
    write(expected)
    for x in (la.asarray(operand), la.asarray(operand) + 0):
        view = x[0]
        assert write(x) is None
        np.testing.assert_array_equal(la.evaluate(x), expected)
        assert x.dtype == expected.dtype
        np.testing.assert_array_equal(la.evaluate(view), expected[0])
        np.testing.assert_array_equal(operand, before)


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.put(99, 1),
        lambda x: x.put(0, 1, mode="around"),
        lambda x: x.partition(9),
        lambda x: np.copyto(x, 1j),
        lambda x: np.copyto(x, np.arange(4)),
        lambda x: _set_flat(x, 99, 1),
        lambda x: _set(x, 0, "text"),
    ],
)
def test_what_cannot_be_written(write: Callable[[Any], None]) -> None:
    operand = np.arange(6.0).reshape(2, 3)
    with pytest.raises((TypeError, ValueError, IndexError)):
        write(operand.copy())
    x = la.asarray(operand)
    with pytest.raises((TypeError, ValueError, IndexError)):
        write(x)
        la.evaluate(x)
    np.testing.assert_array_equal(operand, np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize("dtype", ["f2", "f8", "c16", "?", "i4", "u1"])
def test_none_is_nan_or_false_or_refused(dtype: str) -> None:
    expected = np.ones(3, dtype)
    x = la.asarray(np.ones(3, dtype))
    if np.dtype(dtype).kind in "iu":
        with pytest.raises(TypeError):
            expected[0] = None
        with pytest.raises(la.errors.DTypeError, match="cannot store None in"):
            x[0] = None
        return
    expected[0] = x[0] = None
    np.testing.assert_array_equal(la.evaluate(x), expected)


def test_numpys_other_functions_cannot_write_into_what_was_wrapped() -> None:
    operand = np.arange(5.0)
    with pytest.raises(ValueError, match="read-only"):
        la.numpy_api.dispatch.compute_now(np.ndarray.sort, (la.asarray(operand[::-1]),), {})
    np.testing.assert_array_equal(operand, np.arange(5.0))


def test_flat_reads() -> None:
    operand = np.arange(6).reshape(2, 3)
    flat = la.asarray(operand).flat
    assert len(flat) == 6
    assert [int(x) for x in la.asarray(operand).flat] == operand.ravel().tolist()
    assert [int(x) for x in itertools.islice(la.asarray(operand).T.flat, 2)] == [0, 3]
    assert int(next(flat)) == 0
    assert int(next(flat)) == 1
    np.testing.assert_array_equal(flat, operand.ravel())
    np.testing.assert_array_equal(la.evaluate(flat[1:4]), operand.flat[1:4])


@pytest.mark.parametrize(
    "other", [None, "a", b"a", {}, {1}, ..., np.str_("a"), np.datetime64("2020")], ids=repr
)
def test_no_number_equals_no_element(other: Any) -> None:
    operand = np.arange(6.0).reshape(2, 3)
    x = la.asarray(operand)
    for result, expected in (
        (x == other, operand == other),
        (x != other, operand != other),
        (other == x, other == operand),
        (np.equal(x, other), operand == other),
        (np.not_equal(other, x), operand != other),
    ):
        assert isinstance(result, la.LazyArray)
        np.testing.assert_array_equal(la.evaluate(result), expected)
        assert result.dtype == expected.dtype
    assert (other in x) is (other in operand) is False


@pytest.mark.parametrize("other", [None, "a", {1}, object()], ids=type)
def test_what_is_no_number_is_not_added_in_place(other: Any) -> None:
    for array in (la.zeros(3), la.zeros(3) + la.arange(3), la.zeros(3)[1]):
        x = array
        with pytest.raises(TypeError):
            x += other
        assert x is array

    class Adding:
        def __radd__(self, array: Any) -> str:
            return "added"

        __array_ufunc__ = None

    x = la.zeros(3)
    x += Adding()
    assert x == "added"


def test_other_types_may_still_answer() -> None:
    class Equal:
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    assert (Equal() == la.zeros(3)) is True
    np.testing.assert_array_equal(la.zeros(3) == Equal(), np.zeros(3) == Equal(), strict=True)


def test_integer_dtypes_without_nan_are_refused_as_in_numpy() -> None:
    x = np.arange(3.0)
    for name in ("nanmean", "nanvar", "nanstd"):
        for array in (x, la.asarray(x)):
            with pytest.raises(TypeError, match="dtype must be inexact"):
                getattr(np, name)(array, dtype=int)
        assert int(getattr(np, name)(la.asarray(x.astype(int)), dtype=int)) == getattr(np, name)(
            x.astype(int), dtype=int
        )


def test_positions_in_nothing_but_one_element() -> None:
    for name in ("nanargmin", "nanargmax"):
        for axis in (None, 0, -1):
            assert int(getattr(np, name)(la.asarray(np.array(3.0)), axis=axis)) == 0
        with pytest.raises(la.errors.AxisError):
            getattr(np, name)(la.asarray(np.array(3.0)), axis=1)


def test_nan_extremes_of_complex_numbers() -> None:
    x = np.array([[np.nan, 1 + 2j, 1 - 2j], [3j, complex(0, np.nan), np.nan]])
    for name in ("nanmax", "nanmin"):
        for axis in (None, 0, 1):
            result = la.evaluate(getattr(np, name)(la.asarray(x), axis=axis))
            np.testing.assert_array_equal(result, getattr(np, name)(x, axis=axis))


def test_a_mask_of_another_shape_has_as_many_elements():
    for mask in ([True, False, True, True], np.array([[True], [False], [True], [False]])):
        expected, lazy = np.zeros((2, 2)), la.zeros((2, 2))
        np.putmask(expected, mask, [5, 6, 7])
        la.putmask(lazy, mask, [5, 6, 7])
        np.testing.assert_array_equal(np.asarray(lazy), expected)


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("dtype", ["?", "i4", "u1", "f4"])
def test_putmask_casts_numbers_however_wide(dtype: str, immediate: int) -> None:
    """NumPy's sums and elements are numbers, and arrays without axes are none."""
    for reduce in (lambda x: x.sum(), lambda x: x.mean(axis=0), lambda x: x[1] * 2):
        wide, target = np.array([1.5, 2.0]), np.array([0, 1, 2]).astype(dtype)
        with la.config(immediate=immediate):
            x, values = la.array(target), la.array(wide)
            la.putmask(x, x > 0, reduce(values))
            np.putmask(target, target > 0, reduce(wide))
            np.testing.assert_array_equal(np.asarray(x), target)
            with pytest.raises(TypeError):
                la.putmask(x, x > 0, la.array(1.5))
