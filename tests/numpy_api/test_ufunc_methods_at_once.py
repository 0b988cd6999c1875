"""Methods of ufuncs on small arrays in memory: NumPy's values, dtypes and complaints, at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.immediate import deferred

UFUNCS = (
    "add multiply subtract minimum maximum fmax logical_or logical_and bitwise_xor bitwise_and "
    "hypot divide power"
).split()
METHODS: list[Callable[..., Any]] = [
    lambda f, x, y, **k: f.reduce(x, **k),
    lambda f, x, y, **k: f.reduce(x, 0, **k),
    lambda f, x, y, **k: f.reduce(x, axis=None, keepdims=True, **k),
    lambda f, x, y, **k: f.accumulate(x, **k),
    lambda f, x, y, **k: f.accumulate(x, axis=-1, **k),
    lambda f, x, y, **k: f.reduceat(x, [0, 2, 1], **k),
    lambda f, x, y, **k: f.outer(x, y, **k),
    lambda f, x, y, **k: f.outer(x, 3, **k),
]


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    """Compute small arrays in memory at once."""
    with la.config(immediate=4096, implicit="allow"):
        yield


def outcome(call: Callable[..., Any], *args: Any, **keywords: Any) -> tuple[Any, ...]:
    """Return the value of a call and the texts of its warnings, or the kind of its error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = np.asarray(call(*args, **keywords))
        except Exception as error:  # noqa: BLE001 - any that NumPy raises
            kinds = (TypeError, ValueError, IndexError, OverflowError)
            return (next(kind for kind in kinds if isinstance(error, kind)),)
    return value, value.dtype, value.shape, sorted({str(w.message) for w in caught})


@pytest.mark.parametrize("name", UFUNCS)
@pytest.mark.parametrize("namespace", [np, la], ids=["numpy", "lazyarr"])
def test_random_calls_give_what_numpy_gives(name: str, namespace: Any) -> None:
    own = np.random.default_rng(sum(map(ord, name)))
    theirs, ours = getattr(np, name), getattr(namespace, name)
    for _ in range(60):
        shape = tuple(own.integers(1, 6, int(own.integers(1, 4))))
        code = own.choice(list("?bhidf"))
        x = (own.integers(-4, 5, shape) * own.choice([1, 1, 1e200 if code == "d" else 1])).astype(
            code
        )
        y = own.integers(0, 4, int(own.integers(1, 4))).astype(own.choice(list("id")))
        method = METHODS[int(own.integers(len(METHODS)))]
        keywords = {"dtype": "f8"} if own.random() < 0.2 else {}
        expected = outcome(method, theirs, x, y, **keywords)
        for _ in range(2):  # the first call lets the compiled form know the method
            result = outcome(method, ours, la.asarray(x), la.asarray(y), **keywords)
            assert len(result) == len(expected), (x.dtype, shape, method, keywords)
            if len(result) == 1:
                continue
            np.testing.assert_array_equal(result[0], expected[0])
            assert result[1:] == expected[1:]


@pytest.mark.parametrize("namespace", [np, la], ids=["numpy", "lazyarr"])
def test_results_are_arrays_in_memory_that_remember_what_gave_them(namespace: Any) -> None:
    x = la.asarray(np.arange(6.0))
    for _ in range(3):
        total, running = namespace.add.reduce(x), namespace.maximum.accumulate(x)
        assert type(total) is type(running) is la.LazyArray
        assert total._array is not None and running._array is not None
        for array in (total, running):
            expression = deferred(array._node)
            assert expression.src
            np.testing.assert_array_equal(la.evaluate(la.LazyArray(expression)), array)
    running[0] = 7
    assert x[0] == 0


@pytest.mark.parametrize("namespace", [np, la], ids=["numpy", "lazyarr"])
def test_outputs_and_masks_take_the_longer_way(namespace: Any) -> None:
    for _ in range(3):
        x, out, theirs = la.asarray(np.arange(6.0)), la.zeros(6), np.zeros(6)
        namespace.add.accumulate(x, out=out)
        np.add.accumulate(np.arange(6.0), out=theirs)
        np.testing.assert_array_equal(np.asarray(out), theirs)
        masked = namespace.add.reduce(x, where=np.arange(6) > 2)
        assert masked == 12
        with la.config(immediate=0):
            assert namespace.add.reduce(la.asarray(np.arange(6.0)) * 2)._array is None
    traced = la.jit(lambda x: namespace.multiply.reduce(x + 1))
    assert traced(la.asarray(np.arange(4.0))) == 24


PLACES: list[Callable[[np.random.Generator, int], Any]] = [
    lambda own, n: own.integers(-n, n, 7),
    lambda own, n: own.integers(0, n, (2, 3)),
    lambda own, n: int(own.integers(n)),
    lambda own, n: slice(1, n, 2),
    lambda own, n: own.random(n) < 0.5,
    lambda own, n: [0, n - 1, 0],
    lambda own, n: own.integers(0, n + 2, 3),  # may be out of bounds
]


def written(ufunc: Any, array: Any, places: Any, value: Any) -> Any:
    """Return an array after a write, whose errors come with it at the latest."""
    ufunc.at(array, places, value)
    return np.array(array)


@pytest.mark.parametrize("name", ["add", "subtract", "minimum", "divide", "bitwise_or"])
@pytest.mark.parametrize("namespace", [np, la], ids=["numpy", "lazyarr"])
def test_random_writes_at_places_are_numpy_s(name: str, namespace: Any) -> None:
    own = np.random.default_rng(sum(map(ord, name)))
    theirs, ours = getattr(np, name), getattr(namespace, name)
    for _ in range(120):
        n = int(own.integers(2, 9))
        users = own.integers(-3, 9, n).astype(own.choice(list("hid")))
        expected, kind = users.copy(), int(own.integers(4))
        x = la.asarray(users)
        if kind == 1:  # of memory of its own
            x = x.copy()
        elif kind == 2:  # that an expression sees
            x = x.copy()
            seen = np.sin(x)
        elif kind == 3:  # a view
            whole = la.asarray(np.concatenate([users, users])) + 0
            x = whole[:n]
        places = PLACES[int(own.integers(len(PLACES)))](own, n)
        value = own.choice([2, 0, 3])
        value = float(value) if own.random() < 0.3 else int(value)
        wrapped = la.asarray(places) if isinstance(places, np.ndarray) else places
        before = expected.copy()
        with np.errstate(all="ignore"):
            result = outcome(written, ours, x, wrapped, value)
            reference = outcome(written, theirs, expected, places, value)
        assert len(result) == len(reference)
        if len(reference) == 1:
            continue  # what a write that fails leaves is not compared
        np.testing.assert_array_equal(result[0], reference[0])
        if kind == 0:
            np.testing.assert_array_equal(users, before)
        elif kind == 2:
            np.testing.assert_allclose(np.asarray(seen), np.sin(before))
        elif kind == 3:
            np.testing.assert_array_equal(np.asarray(whole)[:n], expected)
            np.testing.assert_array_equal(np.asarray(whole)[n:], before)


@pytest.mark.parametrize("namespace", [np, la], ids=["numpy", "lazyarr"])
def test_writes_at_places_warn_and_raise_once(namespace: Any) -> None:
    for _ in range(3):
        x = la.asarray(np.ones(4)) + 0
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            namespace.divide.at(x, [0, 1], 0.0)
            np.testing.assert_array_equal(np.asarray(x), [np.inf, np.inf, 1, 1])
        assert [str(w.message).split()[0] for w in caught] == ["divide"]
        y = la.asarray(np.arange(4.0)) + 0
        view = y[1:]
        with pytest.raises(IndexError):
            written(namespace.add, y, [0, 9], 1.0)
        assert view.shape == (3,)
