"""What waits for an array is computed before a write would copy the array for it."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays import needed_values
from lazyarr.arrays.fields import COMPILED

SHAPE = (280, 270)  # more elements than run at once
compiled = pytest.mark.skipif(COMPILED is None, reason="Python's form copies")


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    with la.config(immediate=4096, implicit="allow"):
        yield


def _owned(values: Any) -> Any:
    u = la.array(values)
    u[0, 0] = values[0, 0]
    return u


def _readers(u: Any) -> list[Any]:
    return [u.sum(), u.max(axis=1), u[:140] * 2, u[1] + 1]


@compiled
def test_what_waits_is_computed_and_nothing_copied(copies: list[int]) -> None:
    values = np.arange(280.0 * 270).reshape(SHAPE)
    u = _owned(values)
    del copies[:]
    expected, waiting = _readers(values), _readers(u)
    for x in (values, u):
        x[3, 1:] = 5
        x[:, 2] *= 2
        x[x[:, 0] > 100, 3] = 1
        x[[1, 2], [3, 4]] = -1
    assert not copies
    for value, lazy in zip(expected, waiting, strict=True):
        np.testing.assert_array_equal(lazy.compute(), value)
    np.testing.assert_array_equal(u.compute(), values)


@compiled
def test_values_that_are_more_than_the_array_are_not_computed_for_a_write(
    copies: list[int],
) -> None:
    values = np.ones(SHAPE)
    u = _owned(values)
    del copies[:]
    waiting = [u + 1, u * 2]
    before = la.cache.info().work.computed
    u[3] = 5
    assert len(copies) == 1
    assert la.cache.info().work.computed == before
    for lazy in waiting:
        np.testing.assert_array_equal(lazy.compute(), np.full(SHAPE, 2.0))


def test_an_exception_of_what_waits_is_none_of_the_write() -> None:
    values = np.arange(280.0 * 270).reshape(SHAPE) - 5
    u = _owned(values)
    waiting = 1 / u[:140]
    with np.errstate(divide="raise"):
        u[200, 1:] = values[200, 1:] = 7
        with pytest.raises(FloatingPointError, match="divide by zero"):
            waiting.compute()
    np.testing.assert_array_equal(u.compute(), values)
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(waiting.compute(), 1 / values[:140])


def test_what_is_freed_waits_no_more_when_its_callback_writes() -> None:
    values = np.arange(280.0 * 270).reshape(SHAPE)
    u = _owned(values)
    waiting = [u.max(axis=1), u.sum()]

    def write(_: Any) -> None:
        u[3, 1:] = 5

    reference = weakref.ref(waiting[1], write)
    expected = values.max(axis=1)
    del waiting[1]
    values[3, 1:] = 5
    assert reference() is None
    later = [u.min(axis=1) for _ in range(3)]  # in the memory of what was freed
    np.testing.assert_array_equal(waiting[0].compute(), expected)
    for lazy in later:
        np.testing.assert_array_equal(lazy.compute(), values.min(axis=1))
    np.testing.assert_array_equal(u.compute(), values)


def test_what_another_thread_computes_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.arange(280.0 * 270).reshape(SHAPE)
    u = _owned(values)
    waiting = u.sum()
    asked = needed_values.scope

    def computed_first() -> Any:
        monkeypatch.setattr(needed_values, "scope", asked)
        float(waiting)
        return asked()

    monkeypatch.setattr(needed_values, "scope", computed_first)
    u[3, 1:] = 5
    assert float(waiting) == values.sum()


@pytest.mark.parametrize("seed", range(3))
def test_readers_see_what_was_there_when_they_were_built(seed: int) -> None:
    """Random programs of readers, some dropped, and writes of all kinds."""
    random = np.random.default_rng(seed)
    values = random.integers(0, 9, SHAPE).astype(float)
    u = _owned(values)
    pairs: list[tuple[Any, Any]] = []
    for _ in range(40):
        k, row = int(random.integers(8)), int(random.integers(280))
        if k < 4:
            pairs.append((_readers(u)[k], _readers(values)[k].copy()))
        elif k == 4 and pairs:
            del pairs[int(random.integers(len(pairs)))]
        else:
            for x in (u, values):
                if k == 5:
                    x[row, 1:] = row
                elif k == 6:
                    x[:, row % 270] += x[:, 0]
                else:
                    x[[row, 3], 5] = -row
    for lazy, value in pairs:
        np.testing.assert_array_equal(lazy.compute(), value)
    np.testing.assert_array_equal(u.compute(), values)


def test_lists_of_numbers_and_arrays_become_what_numpy_makes_of_them() -> None:
    """Random lists of numbers of lazyarr's, of Python's and NumPy's, and of small arrays."""
    random = np.random.default_rng(5)
    x = random.random((4, 6))
    lazy = la.asarray(x) + 0
    integers = la.asarray(np.arange(6)) + 0
    others = [1, 2.5, True, np.float32(0.5), 2**60, -0.0, np.nan]
    for length in (1, 2, 3, 5, 70):
        for _ in range(12):
            kinds = random.integers(0, 4, length)
            if kinds[0] == 3:
                rows = random.integers(0, 4, length).tolist()
                ours, theirs = [lazy[k] for k in rows], [x[k] for k in rows]
            else:
                ours, theirs = [], []
                for kind in kinds:
                    i, j = random.integers(4), random.integers(6)
                    both = (lazy[int(i), int(j)], x[i, j]) if kind else (others[i + j - 2],) * 2
                    if kind == 2:
                        both = (integers[int(j)], np.int64(j))
                    ours.append(both[0])
                    theirs.append(both[1])
            expected = np.array(theirs)
            for value in (la.array(ours).compute(), np.array(ours)):
                assert value.dtype == expected.dtype
                np.testing.assert_array_equal(value, expected)


@pytest.mark.skipif(COMPILED is None, reason="Python's form has no buffers")
@pytest.mark.parametrize("dtype", "?bhilqBHILQefdFD")
def test_buffers_show_what_the_interface_shows(dtype: str) -> None:
    values = np.arange(24).reshape(4, 6).astype(dtype)
    lazy = la.asarray(values.copy()) + np.zeros((), dtype)
    expected = values + np.zeros((), dtype)
    lazy[1, 1] = expected[1, 1] = 1
    parts = (lambda x: x), (lambda x: x[1:, ::2]), (lambda x: x.T)
    for part in parts:
        ours, theirs = part(lazy), part(expected)
        view = memoryview(ours)
        shown = np.asarray(view)
        assert view.readonly
        assert (shown.dtype, shown.strides) == (theirs.dtype, theirs.strides)
        np.testing.assert_array_equal(shown, theirs)
        with pytest.raises((BufferError, ValueError)):
            np.frombuffer(ours, dtype)[0] = 0
    shown = np.asarray(lazy)
    lazy[0] = 1
    np.testing.assert_array_equal(shown, expected)


def test_an_array_is_no_index_of_one_number() -> None:
    x = la.asarray(np.arange(4)) + 0
    with pytest.raises(la.errors.DTypeError, match="only integer scalar arrays") as caught:
        range(x)  # type: ignore[call-overload]
    assert isinstance(caught.value, TypeError)
    assert caught.value.origin is not None
    assert caught.value.origin[0] == __file__
    np.testing.assert_array_equal(np.arange(9)[x], np.arange(4))


@pytest.mark.filterwarnings("ignore:overflow|invalid:RuntimeWarning")
def test_products_of_vectors_have_the_bits_of_numpy() -> None:
    """Random pairs of vectors, some of other dtypes, strided, tiny or huge."""
    random = np.random.default_rng(7)
    for k in range(120):
        lengths = (3, 3) if k % 2 else random.integers(1, 7, 2)
        a, b = (random.standard_normal(2 * n)[::2] for n in lengths)
        a = a * 1e-200 if k % 7 == 0 else a * 1e300 if k % 11 == 0 else a
        b = b.astype(np.float32) if k % 5 == 0 else np.arange(len(b)) if k % 13 == 0 else b
        x, y = la.array(a), la.array(b)
        for name in ("outer", "cross")[: 1 + k % 2]:
            expected = getattr(np, name)(a, b)
            for ours in (getattr(la, name)(x, y), getattr(np, name)(x, b), getattr(np, name)(a, y)):
                value = np.asarray(ours)
                assert (value.dtype, value.shape) == (expected.dtype, expected.shape)
                assert value.tobytes() == expected.tobytes()
        assert np.asarray(np.add.outer(x, y)).tobytes() == np.add.outer(a, b).tobytes()


def test_numbers_of_numbers_are_what_numpy_has_and_go_with_the_last_reference() -> None:
    random = np.random.default_rng(9)
    x = random.standard_normal(40)
    lazy = la.array(x)
    ours, theirs = lazy[0], x[0]
    for k in range(400):
        other, same = (lazy[k % 40], x[k % 40]) if k % 3 else (0.5 + k, 0.5 + k)
        ours = (ours * other - ours, ours + other, other - ours)[k % 3] * 0.5
        theirs = (theirs * same - theirs, theirs + same, same - theirs)[k % 3] * 0.5
        if not 1e-9 < abs(theirs) < 1e9:
            ours, theirs = lazy[1], x[1]
        assert float(ours) == theirs
    numbers = [lazy[1] * k for k in range(50)]
    seen = [weakref.ref(number) for number in numbers]
    number = None
    del numbers, number
    assert all(reference() is None for reference in seen)


def test_functions_of_several_arguments_are_themselves_with_one() -> None:
    values = np.array([3.0, 0, -1, 0, 2])
    x = la.array(values)
    clips = [la.clip(x), x.clip()]
    if np.lib.NumpyVersion(np.__version__) >= "2.1.0":  # NumPy 2.0 wants both limits
        clips.append(np.clip(x))
    for clipped in clips:
        np.testing.assert_array_equal(np.asarray(clipped), values)
    for places in (np.where(x), la.where(x), np.where(x > 0)):
        assert len(places) == 1
    np.testing.assert_array_equal(np.asarray(la.where(x)[0]), [0, 2, 4])
