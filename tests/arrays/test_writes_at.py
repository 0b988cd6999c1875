"""What the method ``at`` of ufuncs writes to vectors at places in any order, against NumPy."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    with la.config(immediate=4096, implicit="allow"):
        yield


SPECIAL = np.array([0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1, -1, 1e308, -1e308, 5e-324])
OF_FLOATS = ["add", "subtract", "multiply", "minimum", "maximum", "fmin"]
OF_INTEGERS = [*OF_FLOATS, "bitwise_and", "bitwise_or", "bitwise_xor"]


def _elements(random: np.random.Generator, count: int, dtype: str) -> Any:
    if dtype[0] == "i":
        return random.integers(-(2**62), 2**62, count).astype(dtype)
    special = random.random() < 0.3
    values = random.choice(SPECIAL, count) if special else random.integers(-5, 5, count)
    with np.errstate(all="ignore"):
        return values.astype(dtype)


def _warned(function: Any, *args: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(*args)
    return sorted(str(warning.message) for warning in caught)


def _bits(array: Any, name: str) -> bytes:
    """Return the bytes; of a sum of two NaNs, compilers choose which one it is."""
    if array.dtype.kind == "f" and name in {"add", "subtract", "multiply"}:
        array = np.where(np.isnan(array), np.nan, array)
    return bytes(array.tobytes())


@pytest.mark.parametrize("seed", range(20))
def test_random_writes_have_numpys_bits_and_warnings(seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(40):
        dtype = str(random.choice(["f8", "i8", "f4", "i4"]))
        name = str(random.choice(OF_INTEGERS if dtype[0] == "i" else OF_FLOATS))
        length, count = int(random.integers(1, 40)), int(random.integers(1, 200))
        target, values = _elements(random, length, dtype), _elements(random, count, dtype)
        least = -length if random.random() < 0.3 else 0
        places = random.integers(least, length, count)
        if random.random() < 0.2:
            values = int(random.integers(-3, 4))
        expected, ours = target.copy(), la.array(target)
        said = _warned(getattr(np, name).at, expected, places, values)
        value = la.asarray(values) if isinstance(values, np.ndarray) else values
        assert _warned(getattr(la, name).at, ours, la.asarray(places), value) == said
        assert _bits(np.asarray(ours), name) == _bits(expected, name), (name, dtype)


def test_a_target_among_the_values_or_the_places() -> None:
    for name in OF_INTEGERS:
        a = np.arange(6)[::-1].copy()
        x = la.array(a)
        getattr(np, name).at(a, a, a)
        getattr(la, name).at(x, x, x)
        np.testing.assert_array_equal(x, a)


def test_views_of_the_target_show_what_was_written() -> None:
    a, places, values = np.zeros(50), np.arange(200) % 25, np.linspace(-1, 1, 200)
    x = la.array(a)
    part, before, line = x[10:20], x + 0.0, a[10:20]
    for name in ("add", "minimum"):
        getattr(np, name).at(a, places, values)
        getattr(la, name).at(x, places, values)
        np.testing.assert_array_equal(part, line)
    np.testing.assert_array_equal(before, np.zeros(50))


@pytest.mark.parametrize("places", [[0, 9], [-10, 0]])
def test_places_that_are_none(places: list[int]) -> None:
    x = la.array(np.zeros(9))
    with pytest.raises(IndexError):
        np.add.at(x, np.array(places), np.ones(2))
