"""Functions of small arrays at once: cumulative ones, of no elements, into ``out=``, by methods."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.fields import COMPILED
from lazyarr.arrays.immediate import deferred

pytestmark = pytest.mark.host
compiled = pytest.mark.skipif(COMPILED is None, reason="Python's form builds expressions")

Call = Callable[[Any, Any], Any]

SCANS: dict[str, Call] = {
    "cumsum": lambda xp, x: xp.cumsum(x),
    "method": lambda xp, x: x.cumsum(),
    "add": lambda xp, x: xp.add.accumulate(x),
    "minimum": lambda xp, x: xp.minimum.accumulate(x),
    "maximum": lambda xp, x: xp.maximum.accumulate(x),
    "along rows": lambda xp, x: xp.maximum.accumulate(xp.stack([x, x[::-1]]), axis=1),
}
FLOATS = [0.0, -0.0, 1.5, np.nan, -np.nan, np.inf, -np.inf, 1.7e308, -1.7e308]


@pytest.fixture(autouse=True)
def _at_once() -> Iterator[None]:
    with la.config(immediate=4096, implicit="allow"):
        yield


def _lies(array: Any) -> bool:
    return array._array is not None


@pytest.mark.parametrize("name", SCANS)
def test_cumulative_functions_give_numpys_bits(name: str) -> None:
    random = np.random.default_rng(5)
    call = SCANS[name]
    for dtype in ("float64", "float32", "int64", "int32", "uint8", "bool"):
        for size in (1, 2, 7, 40):
            for step in (1, 3):
                a = (random.standard_normal(size * step) * 9).astype(dtype)
                if dtype == "float64" and size == 7:
                    a[:: 2 * step] = random.choice(FLOATS, len(a[:: 2 * step]))
                with np.errstate(all="ignore"):
                    expected = call(np, a[::step])
                    got = np.asarray(call(la, la.array(a)[::step]))
                assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
                if not np.isnan(expected).any():
                    assert got.tobytes() == expected.tobytes()
                np.testing.assert_array_equal(got, expected)


def test_cumulative_sums_warn_as_numpys() -> None:
    for values in ([1.7e308, 1.7e308], [np.inf, -np.inf]):
        with warnings.catch_warnings(record=True) as theirs:
            warnings.simplefilter("always")
            np.cumsum(np.array(values))
        with warnings.catch_warnings(record=True) as ours:
            warnings.simplefilter("always")
            np.asarray(la.cumsum(la.array(values)))
        assert [str(w.message)[:8] for w in ours] == [str(w.message)[:8] for w in theirs]


@compiled
def test_sums_of_no_elements_are_computed_at_once() -> None:
    x = la.array([1.0, 2.0])
    chosen = x[x > 3]
    for name in ("sum", "prod", "any", "all"):
        got = getattr(chosen, name)()
        assert _lies(got)
        assert float(got) == getattr(np.zeros(0), name)()
    rows = la.array(np.zeros((0, 3)))
    np.testing.assert_array_equal(np.asarray(rows.sum(axis=0)), np.zeros(3))
    with pytest.raises(ValueError, match="zero-size"):
        chosen.max()


EMPTY: dict[str, Call] = {
    "nonzero": lambda xp, x: xp.nonzero(x)[0],
    "flatnonzero": lambda xp, x: xp.flatnonzero(x),
    "where": lambda xp, x: xp.where(x > 0)[0],
    "concatenate": lambda xp, x: xp.concatenate([x, x]),
    "unique": lambda xp, x: xp.unique(x),
    "repeat": lambda xp, x: xp.repeat(x, 3),
    "argsort": lambda xp, x: xp.argsort(x),
    "searchsorted": lambda xp, x: xp.searchsorted(x, 0.5),
    "take": lambda xp, x: xp.take(x, np.zeros(0, int)),
    "count_nonzero": lambda xp, x: xp.count_nonzero(x),
    "append": lambda xp, x: xp.append(x, 1.0),
    "tile": lambda xp, x: xp.tile(x, 2),
}


@pytest.mark.parametrize("name", EMPTY)
def test_functions_of_no_elements_are_numpys(name: str) -> None:
    x = la.array([1.0, 2.0])
    expected = np.asarray(EMPTY[name](np, np.zeros(0)))
    got = np.asarray(EMPTY[name](la, x[x > 3]))
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(got, expected)


METHODS: dict[str, Call] = {
    "argmax": lambda xp, x: xp.argmax(x, axis=1, keepdims=True),
    "argmin": lambda xp, x: xp.argmin(x),
    "argsort": lambda xp, x: xp.argsort(x, 0, kind="stable"),
    "cumprod": lambda xp, x: xp.cumprod(x, axis=1),
    "cumsum": lambda xp, x: xp.cumsum(x, 0, dtype=np.float32),
    "diagonal": lambda xp, x: xp.diagonal(x, 1),
    "nonzero": lambda xp, x: xp.nonzero(x > 0)[1],
    "repeat": lambda xp, x: xp.repeat(x, [1, 2, 3], axis=0),
    "repeat a number": lambda xp, x: xp.repeat(2.5, x.shape[1]),
    "searchsorted": lambda xp, x: xp.searchsorted(x[0] * 0 + 1, x[1], side="right"),
    "take": lambda xp, x: xp.take(x, [1, 0], axis=1, mode="wrap"),
    "take of a list": lambda xp, x: xp.take([4, 5, 6], xp.argsort(x[:, 0])),
    "clip": lambda xp, x: x.clip(-0.5, 0.5),
}


@pytest.mark.parametrize("name", METHODS)
def test_functions_that_are_methods_are_numpys(name: str) -> None:
    a = np.random.default_rng(7).standard_normal((3, 5))
    expected = METHODS[name](np, a)
    got = np.asarray(METHODS[name](la, la.array(a)))
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("size", [7, 5_000, 400_000])
def test_functions_write_to_parts_of_arrays(size: int) -> None:
    a = np.random.default_rng(9).standard_normal((size, 3))
    x, expected = la.array(a), a.copy()
    for xp, array in ((np, expected), (la, x)):
        part = array[:, 1]
        assert xp.clip(part, -0.5, 0.5, out=part) is part
        top = array[: size // 2]
        assert xp.add(top, 1, out=top) is top
        assert xp.multiply(top, array[size // 2 : size // 2 * 2], out=top) is top
        array.T[0] = 2
    np.testing.assert_array_equal(np.asarray(x), expected)


def test_methods_of_ufuncs_are_pickled_after_their_first_call() -> None:
    for function in (la.add, la.maximum):
        function.accumulate(la.arange(3))
        for method in (function.accumulate, function.reduce):
            copy = pickle.loads(pickle.dumps(method))
            np.testing.assert_array_equal(
                np.asarray(copy(la.arange(4))), np.asarray(method(la.arange(4)))
            )
        assert function.accumulate.__name__ == "accumulate"


@compiled
def test_places_that_a_library_computes_are_computed_once() -> None:
    keys = np.random.default_rng(11).integers(0, 999, 200_000)
    pending = la.asarray(keys) * 2  # of memory that the program may write to
    order = la.argsort(pending, kind="stable")
    assert not _lies(order)
    first = la.asarray(keys)[order]
    assert _lies(order)
    expected = np.argsort(keys, kind="stable")
    np.testing.assert_array_equal(np.asarray(first), keys[expected])
    places = la.zeros(len(keys), int)
    places[la.argsort(pending, kind="stable")] = la.arange(len(keys))
    np.testing.assert_array_equal(np.asarray(places)[expected], np.arange(len(keys)))
    with la.config(max_memory=1 << 30):
        waiting = la.argsort(pending, kind="stable")
        la.asarray(keys)[waiting]
        assert not _lies(waiting)


def test_powers_of_numbers_have_numpys_bits() -> None:
    random = np.random.default_rng(13)
    bases = [*random.standard_normal(200) * 10.0 ** random.integers(-9, 9, 200), 0.0, -0.0, np.inf]
    for base in bases:
        x, number = la.array([base])[0], np.float64(base)
        for exponent in (2, 3, -1, 0, 0.5, 1.7, 40.0, np.float64(2.5)):
            with np.errstate(all="ignore"):
                got, expected = np.asarray(x**exponent), np.asarray(number**exponent)
            assert got.tobytes() == expected.tobytes() or np.isnan(expected)
            assert got.dtype == expected.dtype


def test_results_in_memory_are_fresh_arrays() -> None:
    a = np.random.default_rng(17).standard_normal((6, 4))
    x = la.array(a)
    turned, apart, number, large = x.T, x[::2, 1:], x.sum(), la.zeros(300_000)
    results = la.evaluate(x, turned, apart, number)
    for got, expected in zip(results, (a, a.T, a[::2, 1:], a.sum()), strict=True):
        assert type(got) is np.ndarray
        assert got.flags.writeable
        np.testing.assert_allclose(got, expected, rtol=1e-15)
        got[...] = 7.0
    np.testing.assert_array_equal(np.asarray(x), a)
    assert results[1].flags.f_contiguous
    both = la.evaluate(large, x)
    assert (both[0].sum(), both[1].shape) == (0, (6, 4))
    assert la.evaluate(number).shape == ()
    lazy = la.asarray(np.ones(200_000)) + 1
    assert la.evaluate(x, lazy)[1][0] == 2


MANY: dict[str, Call] = {
    "rows": lambda xp, x: [x[i : i + 8] * 2 for i in range(100)],
    "views": lambda xp, x: [x[i : i + 8] for i in range(100)],
    "apart": lambda xp, x: [x[i : i + 8 : 2] for i in range(100)],
    "matrices": lambda xp, x: [x[i : i + 8].reshape(2, 4) + 1 for i in range(100)],
    "numbers": lambda xp, x: [x[i] * 2 for i in range(100)],
    "numbers and a row": lambda xp, x: [*[x[i] * 2 for i in range(99)], 1.0],
    "other dtypes": lambda xp, x: [*[x[i : i + 8] > 0 for i in range(99)], x[:8] * 2],
    "truth": lambda xp, x: [x[i : i + 8] > 0 for i in range(100)],
    "of one": lambda xp, x: [x[i] > 0 for i in range(100)],
}


@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize("options", [{}, {"dtype": np.float32}])
def test_many_small_arrays_of_a_list_are_one(name: str, options: dict[str, Any]) -> None:
    a = np.random.default_rng(19).standard_normal(200)
    x = la.array(a)
    parts = MANY[name](la, x)
    expected = np.array(MANY[name](np, a), **options)
    got = la.array(parts, **options)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    x += 1.0  # a copy is as it was
    np.testing.assert_array_equal(np.asarray(got), expected)


def test_lists_of_arrays_of_several_shapes_are_refused() -> None:
    x = la.array(np.arange(200.0))
    with pytest.raises(ValueError, match=r"same shape|inhomogeneous"):
        la.array([*[x[i : i + 8] for i in range(99)], x[:7]])


def test_lists_of_arguments_are_remembered_as_they_were() -> None:
    calls = {
        "concatenate": la.concatenate,
        "stack": la.stack,
        "hstack": la.hstack,
        "array": la.array,
        "block": lambda parts: la.block([parts, parts]),
        "numpy": np.vstack,
        "choose": lambda parts: la.choose(np.array([0, 1, 0]), parts),
        "average": lambda parts: la.average(parts, axis=0),
    }
    with la.config(immediate=100):
        for name, call in calls.items():
            parts = [la.array(np.ones(3)) + 0.0, la.array(np.zeros(3)) * 1.0]
            result = call(parts)
            known = np.array(result)
            parts[0] = la.array(np.full(3, 7.0))
            parts.append(parts[0])
            again = la.evaluate(la.LazyArray(deferred(result._node)))
            np.testing.assert_array_equal(again, known, err_msg=name)


NUMBERS: dict[str, Call] = {
    "round": lambda xp, x: xp.round(x),
    "clip": lambda xp, x: xp.clip(x, 0, 1),
    "where": lambda xp, x: xp.where(x > 0, 1, 2.5),
    "sum": lambda xp, x: xp.sum([x, 2]),
    "variance": lambda xp, x: xp.var([1.0, 2, 4]),
    "repeat": lambda xp, x: xp.repeat([1, 2], 3),
    "inverse": lambda xp, x: xp.linalg.inv([[1, 2], [3, 4]]),
    "joined": lambda xp, x: xp.concatenate([[1, 2], [x]]),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_functions_of_numbers_alone(name: str) -> None:
    call, number = NUMBERS[name], np.float64(2.7)
    result = call(la, number)
    np.testing.assert_array_equal(result, call(np, number), strict=True)
    assert COMPILED is None or result._array is not None


@pytest.mark.parametrize("name", ["poly", "roots"])
def test_functions_that_iterate_refuse_a_number(name: str) -> None:
    with pytest.raises(TypeError):
        getattr(la, name)(2.5)


def test_a_number_of_python_s_alone_is_computed_by_numpy() -> None:
    assert la.nanmean(2**70) == np.nanmean(2**70)


@pytest.mark.parametrize("value", [[], [np.nan]])
def test_numbers_that_are_not_computed_at_once(value: Any) -> None:
    with pytest.raises((TypeError, RuntimeWarning)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            la.nanmean(value).compute()


@compiled
@pytest.mark.parametrize(
    "name", ["transpose", "ravel", "squeeze", "diagonal", "flipud", "rot90", "atleast_2d"]
)
def test_views_of_ndarrays(name: str) -> None:
    a = np.arange(60_000.0).reshape(300, 200)
    result, expected = getattr(la, name)(a), getattr(np, name)(a)
    assert result.strides == expected.strides
    assert result.flags.writeable == expected.flags.writeable
    np.testing.assert_array_equal(result, expected, strict=True)
    if expected.flags.writeable:
        before = a.copy()
        result[...] = -1  # which detaches
        np.testing.assert_array_equal(a, before)


@compiled
def test_integers_of_numpy_meet_elements() -> None:
    x = la.asarray(np.array([1.5, -2.0]))
    for number in (np.int64(3), np.int64(2**60)):
        for expected, result in ((number + 1.5, number + x[0]), (number < 1.5, number < x[0])):
            np.testing.assert_array_equal(result, expected, strict=True)
