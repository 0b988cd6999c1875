"""Views, writes, places, casts and joins of small arrays, by the compiled form's own loops."""

from __future__ import annotations

import operator
import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.host

Array = np.ndarray[Any, Any]
DTYPES = ("f8", "f8", "i8", "f4", "i4", "u1", "?", "c16")
SHAPES = ((5,), (9,), (1,), (4, 3), (3, 4, 2), (1, 5), (90, 60))
BOUNDS = (None, None, 0, 1, 2, -1, -2, 5, -7, 100)


@pytest.fixture(autouse=True)
def _at_once() -> Iterator[None]:
    with la.config(immediate=4096, implicit="allow"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def key_of(choice: random.Random, axes: int) -> Any:
    """Return a basic index, which may be one that is refused."""

    def item() -> Any:
        step = choice.choice([None, 1, -1, 2, -3])
        part = slice(choice.choice(BOUNDS), choice.choice(BOUNDS), step)
        return choice.choice([part, part, part, 0, 1, -1, 7, None, ...])

    return item() if choice.random() < 0.4 else tuple(item() for _ in range(axes))


def outcome(call: Callable[[], Any]) -> Any:
    """Return the result of a call, or the kind of its error."""
    try:
        return call()
    except (IndexError, TypeError, ValueError, OverflowError) as error:
        kinds = (IndexError, OverflowError, TypeError, ValueError)
        return next(kind for kind in kinds if isinstance(error, kind))


def assert_same(lazy: Any, expected: Any) -> None:
    """Assert that values, dtypes, shapes and memory orders are the same, or both errors."""
    if isinstance(expected, type):
        assert lazy is expected
        return
    mine, theirs = np.asarray(lazy), np.asarray(expected)
    assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
    assert mine.tobytes() == theirs.tobytes()
    if isinstance(lazy, la.LazyArray) and theirs.ndim and theirs.size:
        assert lazy.strides == theirs.strides
        assert lazy.flags.writeable == theirs.flags.writeable


def write(target: Any, key: Any, value: Any) -> None:
    """Write to a part of an array."""
    target[key] = value


def step(choice: random.Random, x: Any, y: Any) -> None:
    """Do the same to an ndarray and a lazy array."""
    key, other = key_of(choice, x.ndim), key_of(choice, x.ndim)
    places = np.array([choice.randrange(-len(x), len(x)) for _ in range(choice.choice([1, 6]))])
    number = choice.choice([1.5, 3, True, -2, 1 << 40, np.float64(2.5), np.int64(4)])
    dtype = choice.choice(DTYPES)
    kind = choice.randrange(7)
    if kind == 0:
        assert_same(outcome(lambda: y[key]), outcome(lambda: x[key]))
        assert_same(
            y.astype(dtype) if dtype != "u1" else y, x.astype(dtype) if dtype != "u1" else x
        )
    elif kind == 1:
        expected = outcome(lambda: write(x, key, number))
        assert outcome(lambda: write(y, key, number)) == expected
    elif kind == 2:
        expected = outcome(lambda: write(x, key, x[other]))
        if x.dtype.kind != "c":  # of numbers that are no reals, NumPy's error is another
            assert outcome(lambda: write(y, key, y[other])) == expected
        elif expected is None:
            write(y, key, y[other])
    elif kind == 3:
        assert_same(y[la.array(places)], x[places])
        write(x, places, x[places[::-1]])
        write(y, places, y[places[::-1]])
    elif kind == 4 and x.ndim == 1:
        ufunc = choice.choice([np.add, np.minimum, np.maximum])
        values = choice.choice([number, x[:1].copy(), x[np.abs(places) - 1]])
        expected = outcome(lambda: ufunc.at(x, places, values))
        assert outcome(lambda: ufunc.at(y, places, values)) == expected
    elif kind == 5:
        assert_same(np.concatenate([y, y[:1]]), np.concatenate([x, x[:1]]))
        assert_same(y.reshape(-1), x.reshape(-1))
        assert_same(y.ravel(), x.ravel())
    else:
        for mine, theirs in zip(y, x, strict=True):
            assert_same(mine, theirs)
        filler = choice.choice([0, 1])
        x[:1].fill(filler)
        y[:1].fill(filler)
    assert_same(y, x)


@pytest.mark.parametrize("seed", range(2))
def test_programs_of_views_and_writes(seed: int) -> None:
    choice = random.Random(seed)
    for _ in range(15):
        shape, dtype = choice.choice(SHAPES), choice.choice(DTYPES)
        x: Array = np.array([choice.uniform(-9, 99) for _ in range(int(np.prod(shape)))])
        x = np.abs(x).reshape(shape).astype(dtype)
        y = la.array(x)
        for _ in range(4):
            step(choice, x, y)


def test_operators_of_integers() -> None:
    names = "add sub mul truediv floordiv mod and_ or_ xor lt le eq ne gt ge".split()
    numbers = [0, 1, -1, 7, -5, 1 << 62, -(1 << 63), 2.5, np.int64(3), np.int32(4)]
    x = np.array([0, 1, -1, 7, -7, 1 << 62, -(1 << 63)])
    y = la.array(x)
    for function in (getattr(operator, name) for name in names):
        for place in range(len(x)):
            for number in numbers:
                if number == 0 and function in (operator.truediv, operator.floordiv, operator.mod):
                    continue
                expected = outcome(lambda f=function, p=place, n=number: f(x[p], n))
                assert_same(outcome(lambda f=function, p=place, n=number: f(y[p], n)), expected)

    y[0] = y[3] + 1
    assert y[0] == 8


def test_new_arrays() -> None:
    for name in ("zeros", "ones", "arange"):
        for size in (0, 1, 5, 20_000):
            assert_same(getattr(la, name)(size), getattr(np, name)(size))
    for dtype in (float, int, bool, "f4", np.complex128):
        assert_same(la.zeros((2, 3), dtype), np.zeros((2, 3), dtype))
        assert_same(la.ones((2, 3), dtype=dtype), np.ones((2, 3), dtype=dtype))


def test_values_that_are_no_arrays() -> None:
    x = np.array([1.5, -2.0])
    y = la.array(x)
    assert (y.tolist(), y.tobytes(), y.item(1)) == (x.tolist(), x.tobytes(), x.item(1))
    with pytest.raises(IndexError):
        y.item(2)
    y.view()[0] = 3
    y.view(np.int64)[1] = 0
    assert y.tolist() == [3.0, 0.0]
    z = la.array(np.array([1 + 2j, 3]))
    z.real[0], z.imag[1] = 5, 6
    assert z.tolist() == [5 + 2j, 3 + 6j]
    assert (z.nbytes, z.itemsize) == (32, 16)
