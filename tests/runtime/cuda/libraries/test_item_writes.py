"""Writes to items by kernels of a GPU: the kernels run on the CPU."""

from __future__ import annotations

import shutil
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = [
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator"),
    pytest.mark.usefixtures("emulated_gpu"),
]

Array = np.ndarray[Any, Any]
DTYPES = ["f8", "f4", "i8", "i2", "u1", "?", "f2", "c8", "c16"]


def written(array: Array, key: Any, value: Any, xp: Any) -> Any:
    if xp is np:
        result = array.copy()
        result[key] = value
        return result

    def entered(item: Any) -> Any:
        return la.asarray(item) if isinstance(item, np.ndarray) else item

    lazy = la.asarray(array) + np.zeros((), array.dtype)
    lazy[tuple(map(entered, key))] = entered(value)
    return lazy


def check(array: Array, key: Any, value: Any) -> None:
    lazy = written(array, key, value, la)
    assert not la.explain(lazy).fallbacks
    expected = written(array, key, value, np)
    result = la.evaluate(lazy)
    assert result.dtype == expected.dtype
    assert result.tobytes() == expected.tobytes()


def drawn(random: np.random.Generator, shape: Any, dtype: str) -> Array:
    values = random.standard_normal(shape) * 50
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.standard_normal(shape)
    return (np.abs(values) if dtype == "u1" else values).astype(dtype)


def slices(random: np.random.Generator, size: int) -> slice:
    start, stop = sorted(random.integers(0, size + 1, 2).tolist())
    if random.random() < 0.5:
        return slice(start, stop, int(random.integers(1, 4)))
    return slice(stop, start - size - 1, -int(random.integers(1, 4)))


def key_of(random: np.random.Generator, shape: tuple[int, ...], arrays: bool) -> tuple[Any, ...]:
    """Slices, numbers, new axes, an ellipsis, and arrays of indices that broadcast together."""
    together = [(7,), (3, 4), (1,), (300,)][int(random.integers(4))]
    items: list[Any] = []
    for size in shape:
        kind = random.random()
        if arrays and kind < 0.5:
            index = random.integers(-size, size, together if random.random() < 0.8 else (1,))
            items.append(index.astype(str(random.choice(["i8", "i4", "i1"]))))
        elif kind < 0.65:
            items.append(int(random.integers(-size, size)))
        elif kind < 0.9:
            items.append(slices(random, size))
        else:
            items.append(slice(None))
        if random.random() < 0.1:
            items.append(None)
    items = items[: int(random.integers(1, len(items) + 1))]
    if random.random() < 0.4:
        # It may stand for no axis, and still keep arrays of indices apart.
        items.insert(int(random.integers(len(items) + 1)), Ellipsis)
    return tuple(items)


@pytest.mark.parametrize("seed", range(120))
def test_random_writes(seed: int) -> None:
    random = np.random.default_rng([seed, 67])
    shape = [(9,), (5, 6), (4, 3, 5), (200,)][int(random.integers(4))]
    dtype = str(random.choice(DTYPES))
    array = drawn(random, shape, dtype)
    key = key_of(random, shape, bool(random.integers(4)))
    chosen = array[key].shape
    value: Any = drawn(random, chosen, dtype)
    kind = int(random.integers(4))
    if kind == 0:
        value = drawn(random, (), dtype)[()].item()
    elif kind == 1 and chosen:
        value = drawn(random, chosen[-1:], dtype)
    elif kind == 2 and value.ndim:
        value = np.asfortranarray(value)
    check(array, key, value)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("place", [9, -10, 1 << 40])
def test_places_out_of_bounds_are_errors_of_each_axis(axis: int, place: int) -> None:
    array, places = np.zeros((9, 9)), [np.arange(3), np.arange(3)]
    places[axis] = np.array([1, place, 2])
    lazy = la.asarray(array) * 1
    lazy[tuple(la.asarray(index) * 1 for index in places)] = 5.0
    with pytest.raises(IndexError, match=f"index {place} is out of bounds for axis {axis} "):
        la.evaluate(lazy)


def test_the_last_of_several_values_is_written() -> None:
    places, values = np.arange(9000) % 7, np.random.default_rng(3).random(9000)
    check(np.zeros(7), (places,), values)


def test_an_ellipsis_of_no_axis_keeps_index_arrays_apart() -> None:
    values = np.arange(4.0).reshape(2, 2)
    check(np.zeros((2, 3, 4)), (slice(None), 0, Ellipsis, np.array([0, 0])), values)


def test_a_red_black_step_stays_on_the_gpu() -> None:
    u = np.random.default_rng(4).random((20, 20))

    def step(u: Any) -> Any:
        u = u * 1
        for start in (1, 2):
            u[1:-1:2, start:-1:2] = 0.5 * (u[:-2:2, start:-1:2] + u[2::2, start:-1:2])
        return u

    assert not la.explain(step(la.asarray(u))).fallbacks
    assert np.array_equal(la.evaluate(step(la.asarray(u))), step(u))
    assert np.array_equal(la.jit(step)(u), step(u))
