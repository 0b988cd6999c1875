"""Numbers and arrays that are written to elements of other dtypes, as NumPy writes them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import lazyarr as la

Array = np.ndarray[Any, Any]

_DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
_INTEGERS = [0, 1, -1, 127, 128, -129, 255, 256, 40_000, 70_000, 1 << 31, -(1 << 31) - 1, 1 << 40]
_INTEGERS += [(1 << 24) + 1, (1 << 53) + 1, (1 << 63) - 1, 1 << 64, True, False]
_FLOATS = [-0.0, 2.75, -2.75, 300.5, -0.5, 1e-42, 1e-320, 1e39, 1e300, np.nan, np.inf, -np.inf]
_KEYS = [2, slice(1, 4), slice(None, None, 2)]


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    with la.config(immediate=4096):
        yield


def _outcome(x: Any, key: Any, value: Any) -> tuple[bool, list[str]]:
    """Write to an array; return whether an exception was raised, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            x[key] = value
            is_raised = False
        except (ValueError, TypeError, OverflowError, FloatingPointError):
            is_raised = True
        _ = np.asarray(x)  # warnings of expressions come with their values
    return is_raised, sorted(f"{w.category.__name__}: {w.message}" for w in caught)


def _compare(array: Array, key: Any, theirs: Any, ours: Any) -> None:
    expected, own = array.copy(), la.array(array)
    outcome = _outcome(expected, key, theirs)
    assert _outcome(own, key, ours) == outcome
    if not any("invalid value" in text for text in outcome[1]):  # C leaves those undefined
        np.testing.assert_array_equal(own, expected)
        assert np.asarray(own).tobytes() == expected.tobytes()


@pytest.mark.parametrize("target", _DTYPES)
def test_numbers_are_written_as_numpy_writes_them(target: str) -> None:
    array = np.arange(6).astype(target)
    for key in _KEYS:
        for number in (*_INTEGERS, *_FLOATS):
            _compare(array, key, number, number)


@pytest.mark.parametrize("target", _DTYPES)
def test_lists_are_written_as_numpy_writes_them(target: str) -> None:
    rng = np.random.default_rng(_DTYPES.index(target))
    numbers = [*_INTEGERS, *_FLOATS]
    for trial in range(60):
        few = numbers if trial % 2 else [0, 1, 2.5, True, -0.0]
        count = int(rng.integers(0, 5))
        chosen = [few[k] for k in rng.integers(0, len(few), count)]
        value: Any = (chosen, tuple(chosen), [chosen, chosen[::-1]], [chosen, 1])[trial % 4]
        array = np.arange(20).reshape(4, 5).astype(target)
        for key in (1, (slice(1, 3), slice(0, count)), (slice(0, count), 2), slice(0, 0), (2, 3)):
            _compare(array, key, value, value)


@pytest.mark.parametrize("target", _DTYPES)
@pytest.mark.parametrize("source", ["i4", "i8", "f4", "f8", "?"])
def test_elements_are_cast(source: str, target: str) -> None:
    array = np.arange(6).astype(target)
    numbers = _FLOATS if source[0] == "f" else [n for n in _INTEGERS if abs(n) < 1 << 31]
    for key in _KEYS:
        for number in numbers:
            with np.errstate(all="ignore"):
                element = np.array([number]).astype(source)
            _compare(array, key, element.reshape(()), la.asarray(element)[0])


@pytest.mark.parametrize("target", _DTYPES)
@pytest.mark.parametrize("source", _DTYPES)
def test_arrays_are_cast(source: str, target: str) -> None:
    rng = np.random.default_rng([_DTYPES.index(source), _DTYPES.index(target)])
    for trial in range(6):
        count = int(rng.integers(1, 40))
        with np.errstate(all="ignore"):
            pool = _FLOATS if np.dtype(source).kind in "fc" and trial % 3 == 0 else [0, 1, 2.5, 100]
            values = rng.choice(pool, count * 2).astype(source)
        if np.dtype(source).kind in "iu" and trial % 3 == 0:
            values = rng.integers(0, 1 << 32, count * 2).astype(source)
        values = values[::2] if trial % 2 else values[:count]
        array = (np.arange(3 * count + 4) % 2).astype(target)
        for key in (slice(1, count + 1), slice(2, 2 + 3 * count, 3), slice(count, 0, -1)):
            _compare(array, key, values, la.asarray(values))
        _compare(np.zeros((3, count), target), 1, values, la.asarray(values))
        _compare(np.zeros((count, 3), target), (slice(None), 1), values, la.asarray(values))


@pytest.mark.parametrize("source,target", [("f8", "i4"), ("f8", "f4"), ("f4", "i8"), ("f8", "u1")])
def test_exceptions_of_casts_raise_where_those_of_numpy_do(source: str, target: str) -> None:
    values = np.array([1, np.nan, 1e30, 2]).astype(source)
    if target == "f4":
        values = values * 1e9
    for key in (slice(0, 4), slice(None, None, 2)):
        array = np.zeros(4 if key.step is None else 8, target)
        own = la.array(array)
        with np.errstate(all="raise"):
            assert _outcome(array, key, values) == _outcome(own, key, la.asarray(values))


def test_parts_of_the_same_memory_are_read_before_they_are_written() -> None:
    expected = np.arange(40, dtype="i4")
    memory = la.array(expected)
    halves, own = expected.view("i2"), memory.view("i2")
    expected[2:20] = halves[3:21]
    memory[2:20] = own[3:21]
    np.testing.assert_array_equal(memory, expected)


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("target", _DTYPES)
def test_what_float_and_int_take_is_written(target: str, immediate: int) -> None:
    values: list[Any] = ["1", b"2", "1.5", "x", "1j", Fraction(7, 2), Decimal("2.5"), None]
    values += [[value, 3] for value in values] + [["1", "2", "3"], range(2), [[1, "0"]] * 2]
    with la.config(immediate=immediate):
        for value in values:
            for shape in (2,), (2, 2):
                for key in slice(None), [0, 1]:
                    x, y = la.zeros(shape, target), np.zeros(shape, target)
                    assert _outcome(x, key, value) == _outcome(y, key, value), (value, key)
                    np.testing.assert_array_equal(x, y)
