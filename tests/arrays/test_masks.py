"""Elements under masks, read and written, of arrays of middle sizes: as NumPy has them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.native_rows import places_of
from lazyarr.errors import IndexingError, ShapeError

pytestmark = pytest.mark.host

Array = np.ndarray[Any, Any]
CODES = "?bBhHiIlLefdFD"


@pytest.fixture(autouse=True)
def _at_once() -> Iterator[None]:
    with la.config(immediate=4096, implicit="allow"):
        yield


def _values(code: str, shape: tuple[int, ...], random: np.random.Generator) -> Array:
    values = random.normal(size=shape) * 20
    return np.abs(values).astype(code) if code in "?BHIL" else values.astype(code)


def _mask(shape: tuple[int, ...], random: np.random.Generator) -> Array:
    kind = random.integers(5)
    if kind == 0:
        return np.full(shape, bool(random.integers(2)))
    if kind == 1:  # runs of either
        return np.resize(np.repeat(random.random(50) < 0.5, 37), shape)
    mask: Array = random.random(shape) < random.choice([0.002, 0.3, 0.9])
    # What is not 0 is true.
    return (mask * random.integers(1, 200, shape, np.uint8)).view(bool) if kind == 2 else mask


def _sources(x: Array, mask: Array, random: np.random.Generator) -> list[Any]:
    """Return values to write to the elements under a mask."""
    count = int(np.count_nonzero(mask))
    part = _values(x.dtype.char, (count,), random)
    return [part, part[::-1], part[:1], part[0] if count else x.flat[0], 1, True, x.dtype.type(3)]


def test_elements_under_masks_are_numpys() -> None:
    random = np.random.default_rng(5)
    for _ in range(300):
        shape = ((1,), (7,), (900,), (12_345,), (40, 50), (3, 4, 5))[random.integers(6)]
        x = _values(random.choice(list(CODES)), shape, random)
        if random.integers(4) == 0 and len(shape) > 1:
            x = x.T
        mask = _mask(x.shape, random)
        sources = _sources(x, mask, random)
        source = sources[random.integers(len(sources))]
        lazy = la.array(x)
        if random.integers(4) == 0:
            lazy = lazy + x.dtype.type(0)
        lazy_mask: Any = (mask, la.array(mask), la.array(mask) == True)[random.integers(3)]  # noqa: E712
        np.testing.assert_array_equal(np.asarray(lazy[lazy_mask]), x[mask])
        expected = x + x.dtype.type(0)
        expected[mask] = source
        before = lazy * 1
        lazy[lazy_mask] = la.array(source) if random.integers(2) else source
        np.testing.assert_array_equal(np.asarray(lazy), expected, strict=True)
        np.testing.assert_array_equal(np.asarray(before), x * 1)


def test_a_mask_may_show_what_is_written_to() -> None:
    for size in (9, 60_000):
        x = np.arange(size) % 3 == 0
        lazy = la.array(x)
        lazy[lazy] = False
        assert not np.asarray(lazy).any()
        y = np.arange(float(size))
        other = la.array(y)
        mask = np.arange(size) % 2 == 1
        y[mask] = y[: mask.sum()]
        other[la.array(mask)] = other[: int(mask.sum())]
        np.testing.assert_array_equal(np.asarray(other), y)


@pytest.mark.parametrize("size", [9, 60_000])
def test_numbers_that_do_not_fit_are_refused_under_masks(size: int) -> None:
    x, mask = np.zeros(size, np.int8), np.ones(size, bool)
    lazy = la.array(x)
    with pytest.raises(OverflowError):
        lazy[mask] = 1000
    with pytest.raises(ShapeError):
        lazy[mask] = np.zeros(size - 1, np.int8)
    with pytest.raises(IndexingError):
        lazy[mask[:-1]] = 1
    narrow = la.array(np.zeros(size, np.float32))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        narrow[mask] = 1e300
        np.asarray(narrow)
    assert [str(w.message).splitlines()[0] for w in caught] == ["overflow encountered in cast"]
    assert not np.asarray(lazy).any()


def test_a_write_under_a_mask_is_seen_in_views_and_by_nothing_else() -> None:
    x = la.array(np.arange(60_000.0)) + 1
    view, later = x[10:], x * 2
    x[x < 100] = 0
    assert float(view[0]) == 0
    assert float(view[-1]) == 60_000
    assert float(later[0]) == 2


def test_rows_of_memory_are_selected_without_a_kernel() -> None:
    a = np.arange(60_000.0).reshape(-1, 20)
    mask = a[:, 0] % 3 == 0
    with la.config(immediate=4096):
        x, chosen = la.array(a), la.array(mask)
        with la.profile() as run:
            rows = x[chosen]
            np.testing.assert_array_equal(np.asarray(rows), a[mask])
        assert not run.runs
        np.testing.assert_array_equal(np.asarray(rows.T @ rows), a[mask].T @ a[mask])
        product = rows @ la.array(np.ones(20))
        assert product._array is not None
        np.testing.assert_array_equal(np.asarray(product), a[mask] @ np.ones(20))


@pytest.mark.parametrize("density", [0.0, 0.002, 0.06, 0.5, 1.0])
def test_positions_of_true_elements_are_numpys(density: float) -> None:
    rng = np.random.default_rng(int(density * 1000))
    for size in (300, 1000, 4099):
        mask = rng.random(size) < density
        for truths in (mask, (mask * rng.integers(1, 256, size)).astype(np.uint8).view(bool)):
            (ours,), (theirs,) = places_of(truths), truths.nonzero()
            assert ours.dtype == theirs.dtype and np.array_equal(ours, theirs)
            assert np.array_equal(la.flatnonzero(la.asarray(truths)), theirs)
    for odd in (mask[::2], mask.reshape(1, -1), mask * 1.5, mask[:0]):
        for ours, theirs in zip(places_of(odd), odd.nonzero(), strict=True):
            assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("asked", [False, True])
def test_views_of_selections_are_arrays_like_others(asked: bool) -> None:
    a = np.random.default_rng(4).normal(size=30_000)
    functions = [
        lambda m, t: m.abs(t[1:]),
        lambda m, t: t[::-1] + 1,
        lambda m, t: m.sqrt(t.reshape(-1)),
        lambda m, t: m.logical_not(t[...]).any(),
        lambda m, t: t[:][t[:] > 2] * 2,
    ]
    with la.config(immediate=64):
        for function in functions:
            x, expected = la.asarray(a), a[a > 0]
            selected = x[x > 0]
            if asked:
                np.asarray(selected)
            np.testing.assert_array_equal(function(la, selected), function(np, expected))
            selected[1:3] = 0
            expected[1:3] = 0
            np.testing.assert_array_equal(function(la, selected), function(np, expected))
