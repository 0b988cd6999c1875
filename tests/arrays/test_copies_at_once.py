"""Copies side by side, passes over memory, and numbers that are read: as NumPy computes them."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.fields import COMPILED
from lazyarr.arrays.needed_values import cheap_value
from lazyarr.compiler import pipeline

pytestmark = pytest.mark.host

Array = np.ndarray[Any, Any]
Make = Callable[[Any, Any, Any], Any]

#: Two arrays of which are more elements than others have that run at once.
SHAPES = [(90_000,), (300, 301), (30, 40, 75)]
JOINS: dict[str, Make] = {
    "stack": lambda xp, x, y: xp.stack([x, y]),
    "stack behind": lambda xp, x, y: xp.stack((x, y, x), axis=-1),
    "concatenate": lambda xp, x, y: xp.concatenate([x[1:], y, x[:3]]),
    "concatenate views": lambda xp, x, y: xp.concatenate([x[::2], y[::-1]]),
    "array": lambda xp, x, y: xp.array([x, y]),
    "append": lambda xp, x, y: xp.append(x, y[:7]),
    "append a number": lambda xp, x, y: xp.append(x, 3.0),
    "pad": lambda xp, x, y: xp.pad(x, 1),
    "pad by edges": lambda xp, x, y: xp.pad(y, 2, mode="edge"),
    "tile": lambda xp, x, y: xp.tile(x, 2),
    "repeat": lambda xp, x, y: xp.repeat(x, 2, axis=0),
    "insert": lambda xp, x, y: xp.insert(x, 3, 0.5, axis=0),
    "delete": lambda xp, x, y: xp.delete(x, 3, axis=0),
    "vstack": lambda xp, x, y: xp.vstack([x[1:], y[1:]]),
    "column_stack": lambda xp, x, y: xp.column_stack([x, y]),
    "triangle": lambda xp, x, y: xp.tril(x.reshape(300, -1), 1),
    "maximum": lambda xp, x, y: xp.maximum.reduce([x[1:], y[1:], x[:-1]]),
    "sum of a list": lambda xp, x, y: xp.add.reduce([x, y, x]),
    "any of a list": lambda xp, x, y: xp.logical_or.reduce([x > 0.5, y > 0.5, x < 0.1]),
}


@pytest.fixture(autouse=True)
def by_default() -> Any:
    """The settings of a user."""
    with la.config(immediate=4096, implicit="allow"):
        yield


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of evaluations, as a list of one."""
    count = [0]
    evaluate = pipeline.evaluate

    def counted(*args: Any, **keywords: Any) -> Any:
        count[0] += 1
        return evaluate(*args, **keywords)

    monkeypatch.setattr(pipeline, "evaluate", counted)
    return count


def _same(result: Any, expected: Any) -> None:
    result = np.asarray(result)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", JOINS)
def test_arrays_in_memory_are_joined_without_a_plan(
    name: str, shape: tuple[int, ...], plans: list[int]
) -> None:
    if name == "column_stack" and len(shape) > 2:
        pytest.skip("of vectors and matrices")
    random = np.random.default_rng(len(name))
    x, y = random.random(shape), random.random(shape)
    lazy = la.array(x), la.array(y)
    joined, expected = JOINS[name](la, *lazy), JOINS[name](np, x, y)
    if COMPILED is not None:
        assert joined._array is not None
        assert plans == [0]
    first = joined[0] + 1  # of the elements before the write
    joined[...] = joined[...] ^ True if expected.dtype == bool else joined * 2
    _same(joined, ~expected if expected.dtype == bool else expected * 2)
    _same(first, expected[0] + 1)
    for array, source in zip(lazy, (x, y), strict=True):
        _same(array, source)  # nothing that was joined is written to


@pytest.mark.parametrize("seed", range(12))
def test_joins_of_expressions(seed: int) -> None:
    random = np.random.default_rng(seed)
    shape = SHAPES[seed % len(SHAPES)]
    x, y = random.random(shape), random.random(shape)
    names = [name for name in JOINS if name != "column_stack" or len(shape) < 3]
    name = names[int(random.integers(len(names)))]

    def program(xp: Any, a: Any, b: Any) -> list[Any]:
        joined = JOINS[name](xp, a * 2, b + a)
        largest = joined.max()
        return [joined, largest, joined[1:] + joined[:-1] if joined.dtype != bool else joined[1:]]

    lazy = la.array(x), la.array(y)
    for result, expected in zip(program(la, *lazy), program(np, x, y), strict=True):
        _same(result, expected)


@pytest.mark.parametrize("size", [50_000, 100_000, 250_000])
def test_one_pass_over_memory_is_numpys(size: int) -> None:
    x = np.random.default_rng(size).random(size) - 0.5
    a = la.array(x)
    passes: dict[str, Callable[[Any], Any]] = {
        "sum": lambda v: v + v[::-1],
        "product with a number": lambda v: v * 0.5,
        "sign": lambda v: -v,
        "comparison": lambda v: v < 0.25,
        "parts side by side": lambda v: v[1:] - v[:-1],
    }
    with la.config(immediate=4096, threads=1):
        for name, one in passes.items():
            with la.config(immediate=0, threads=1):
                pending = one(a)
            value = cheap_value(pending._node)
            assert value is not None, name
            _same(value, one(x))
        if size > 100_000:  # more bytes than NumPy takes in the place of a plan
            assert cheap_value((a * 2 + a)._node) is None
            assert cheap_value(la.sin(a)._node) is None
            assert cheap_value((a + (a * 2))._node) is None


def test_passes_that_warn_warn_once() -> None:
    x = np.ones(150_000)
    x[7] = 0
    a = la.array(x)
    with pytest.warns(RuntimeWarning, match="divide by zero") as seen:
        result = np.asarray(1 / a)
    assert len(seen) == 1
    with np.errstate(divide="ignore"):
        _same(result, 1 / x)


@pytest.mark.parametrize("seed", range(30))
def test_elements_are_put_as_in_numpy(seed: int) -> None:
    random = np.random.default_rng(seed)
    dtype = random.choice(["f8", "i8", "i4", "u1", "i1", "f4", "?", "c16"])
    size = int(random.choice([20, 6_000, 70_000]))
    x = random.integers(0, 100, size).astype(dtype)
    places = random.integers(-size, size, int(random.integers(1, 50)))
    value: Any = [3, -1, 300, True, 2.5, places.astype(dtype), 1j][int(random.integers(7))]
    ufunc = [np.add, np.maximum, np.multiply, np.bitwise_or, np.true_divide][seed % 5]
    ours: Any = getattr(la, ufunc.__name__)
    pairs: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
        (lambda a: a.put(places, value), lambda a: a.put(places, value)),
        (lambda a: la.put(a, la.asarray(places), value), lambda a: np.put(a, places, value)),
        (lambda a: np.put(a, places, value), lambda a: np.put(a, places, value)),
        (lambda a: ours.at(a, places, value), lambda a: ufunc.at(a, places, value)),
    ]
    for write, theirs in pairs:
        array, expected = la.array(x), x.copy()
        view, seen = array[1:], expected[1:]
        try:
            theirs(expected)
        except (TypeError, OverflowError, ValueError) as error:
            with pytest.raises((type(error), TypeError)):
                write(array)
            _same(array, x)
            continue
        except np.exceptions.ComplexWarning as error:
            with pytest.raises(type(error)):
                write(array)
            continue
        write(array)
        _same(array, expected)
        _same(view, seen)


@pytest.mark.parametrize("name", ["linspace", "logspace", "geomspace"])
def test_samples_between_numbers_and_arrays(name: str) -> None:
    theirs, ours = getattr(np, name), getattr(la, name)
    ends: list[tuple[Any, Any]] = [(1, 9), (0.5, 3.0), (2.0, 1), (np.array([1.0, 2.0]), 4.0)]
    for start, stop in ends:
        for keywords in ({}, {"num": 7}, {"num": 1}, {"endpoint": False}, {"dtype": "f4"}):
            result = ours(start, stop, **keywords)
            np.testing.assert_allclose(
                np.asarray(result), theirs(start, stop, **keywords), rtol=1e-13, strict=True
            )
        for count in (0, 11, 4_000):
            _same(ours(start, stop, count), theirs(start, stop, count))
    for count in (-1, 2.5):
        with pytest.raises((TypeError, ValueError)):
            ours(0.5, 1, count)


def test_many_samples_are_in_memory() -> None:
    for keywords in ({"num": 100_000}, {"num": 100_000, "endpoint": False}):
        samples = la.linspace(0, 315, **keywords)
        assert samples._array is not None or COMPILED is None
        _same(samples, np.linspace(0, 315, **keywords))
        samples[3] = 0.0
    step = la.linspace(0, 1, 5, retstep=True)[1]
    assert float(step) == 0.25


def test_numbers_that_are_read_are_in_memory() -> None:
    squares = la.fromiter((i * i for i in range(10)), dtype=int)
    table = la.loadtxt(io.StringIO("1 2\n3 4"))
    for array in (squares, table):
        assert array._array is not None
        array += 1
    _same(squares, np.arange(10) ** 2 + 1)
    _same(table, np.array([[2.0, 3.0], [4.0, 5.0]]))
    columns = la.loadtxt(io.StringIO("1 2\n3 4"), unpack=True)
    _same(columns[0], np.array([1.0, 3.0]))


def test_a_buffer_that_is_read_is_not_written_to() -> None:
    buffer = bytearray(np.arange(4.0).tobytes())
    array = la.frombuffer(buffer)
    array[0] = 9.0
    _same(array, np.array([9.0, 1.0, 2.0, 3.0]))
    _same(np.frombuffer(buffer), np.arange(4.0))


@pytest.mark.parametrize("size", [10, 100_000, 700_000])
def test_counts_by_value_are_computed_without_a_plan(size: int, plans: list[int]) -> None:
    x = np.random.default_rng(size).random(size)
    a, weights = la.array(x), la.array(x[::-1].copy())
    for keywords in ({}, {"bins": 256, "range": (0, 1)}, {"bins": np.linspace(0, 1, 5)}):
        counts, edges = la.histogram(a, **keywords)
        expected = np.histogram(x, **keywords)
        _same(counts, expected[0])
        _same(edges, expected[1])
    density, _ = la.histogram(a, 7, density=True, weights=weights)
    _same(density, np.histogram(x, 7, density=True, weights=x[::-1])[0])
    assert plans == [0]
    _same(counts[int(np.argmax(counts))] + 1, expected[0].max() + 1)


@pytest.mark.parametrize("size", [40_000, 300_000, 3_000_000])
def test_copies_of_any_size_are_apart(size: int) -> None:
    with la.config(immediate=4096, implicit="allow"):
        a = np.arange(size, dtype=np.float64)
        x = la.asarray(a.copy())
        y = x.copy()
        y[3] = -1.0
        z = y.copy()
        y[4] = -2.0
        assert float(x[3]) == 3.0 and float(z[4]) == 4.0
        a[3] = -1.0
        np.testing.assert_array_equal(z, a)


@pytest.mark.parametrize("size", [10, 3_000_000])
def test_any_number_of_truth_values_is_counted(size: int) -> None:
    with la.config(immediate=4096, implicit="allow"):
        a = np.arange(size) % 3 == 1
        x = la.asarray(a.copy())
        count = la.count_nonzero(x)
        assert int(count) == np.count_nonzero(a) and count.dtype == np.intp
        x[0] = True
        assert int(la.count_nonzero(x)) == np.count_nonzero(a) + 1
        assert int(la.count_nonzero(x[1:])) == np.count_nonzero(a)
        assert int(la.count_nonzero(x & x)) == np.count_nonzero(a) + 1


@pytest.mark.parametrize("dtype", ["f8", "i8", "f4", "?", "c16"])
@pytest.mark.parametrize(
    "numbers",
    [[1.5], [2], [1, 2.5], [True], [], [np.inf, -0.0], [2**53 + 1], [2**70], [[1.0]]],
    ids=str,
)
def test_lists_of_numbers_among_vectors(numbers: list[Any], dtype: str) -> None:
    with la.config(immediate=4096, implicit="allow"):
        a = np.arange(9).astype(dtype)
        x = la.array(a)
        for parts in ([numbers, 0], [0, numbers], [0, numbers, 0], (numbers, numbers, 0)):
            expected, ours = ([part if type(part) is list else y for part in parts] for y in (a, x))
            try:
                joined = np.concatenate(expected)
            except (ValueError, TypeError) as error:
                with pytest.raises(type(error)):
                    la.concatenate(ours)
                continue
            if joined.dtype == object:
                continue
            result = la.concatenate(ours)
            assert result.dtype == joined.dtype
            assert np.asarray(result).tobytes() == joined.tobytes()
